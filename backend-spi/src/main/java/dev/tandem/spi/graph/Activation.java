package dev.tandem.spi.graph;

/** Element-wise functions; exact forms in the numeric contract, N3 and N7. */
public enum Activation {
    /** {@code x * sigmoid(x)}. */
    SILU,
    /** {@code 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))}. */
    GELU_TANH,
    /** {@code 0.5 x (1 + erf(x / sqrt 2))}. */
    GELU_ERF,
    /** {@code 1 / (1 + exp(-x))}. */
    SIGMOID
}
