package dev.tandem.spi.backend;

/** The two precisions of the numeric contract. */
public enum Precision {
    /** Weights dequantised to f32, f32 activations. */
    REFERENCE,
    /** Activations rounded to int8 per 32 elements, exact integer block sums. */
    FAST
}
