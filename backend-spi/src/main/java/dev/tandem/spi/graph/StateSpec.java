package dev.tandem.spi.graph;

import dev.tandem.spi.model.DType;

/** A state slot of a graph, of which a backend keeps one instance per sequence. Slot names are unique in a graph. */
public sealed interface StateSpec {
    /**
     * Name of the slot.
     *
     * @return unique in the graph, such as {@code blk.3.kv}
     */
    String slot();

    /**
     * Rotated keys and values of the committed positions.
     *
     * <p>Elements are rounded once, to nearest even, to the slot's type when stored; every reader sees what is stored.
     *
     * @param slot name
     * @param heads number of key-value heads
     * @param keyDim elements of a head's key
     * @param valueDim elements of a head's value
     * @param type {@link DType#F32} or {@link DType#F16}
     * @param window a row at position p sees positions above {@code p - window}; 0 sees all
     */
    record Kv(String slot, int heads, int keyDim, int valueDim, DType type, int window) implements StateSpec {
        /** Checks sizes and type. */
        public Kv {
            if (heads < 1 || keyDim < 1 || valueDim < 1 || window < 0 || (type != DType.F32 && type != DType.F16)) {
                throw new IllegalArgumentException("state " + slot + ": kv " + heads + " x " + keyDim + "/" + valueDim
                        + " " + type + ", window " + window);
            }
        }
    }

    /**
     * The last {@code width - 1} inputs of a short convolution, f32.
     *
     * @param slot name
     * @param channels columns of an input row
     * @param width taps of the convolution
     */
    record ConvWindow(String slot, int channels, int width) implements StateSpec {
        /** Checks sizes. */
        public ConvWindow {
            if (channels < 1 || width < 2) {
                throw new IllegalArgumentException("state " + slot + ": window of " + channels + " x " + width);
            }
        }
    }

    /**
     * The matrix of a gated delta rule, one per head, always f32 (states kept in f16 drift).
     *
     * @param slot name
     * @param heads number of value heads
     * @param keyDim elements of a key: columns of the matrix
     * @param valueDim elements of a value: rows of the matrix
     */
    record DeltaMatrix(String slot, int heads, int keyDim, int valueDim) implements StateSpec {
        /** Checks sizes. */
        public DeltaMatrix {
            if (heads < 1 || keyDim < 1 || valueDim < 1) {
                throw new IllegalArgumentException(
                        "state " + slot + ": matrix " + heads + " x " + valueDim + " x " + keyDim);
            }
        }
    }
}
