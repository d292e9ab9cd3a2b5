package dev.tandem.runtime.gguf;

import java.util.AbstractList;
import java.util.RandomAccess;

/** Unmodifiable lists over primitive arrays, an eighth to a third of the size of lists of boxes. */
final class PrimitiveLists {
    private PrimitiveLists() {}

    /** A list of longs that owns its array. */
    static final class Longs extends AbstractList<Long> implements RandomAccess {
        private final long[] values;

        Longs(long[] values) {
            this.values = values;
        }

        @Override
        public Long get(int index) {
            return values[index];
        }

        @Override
        public int size() {
            return values.length;
        }
    }

    /** A list of doubles that owns its array. */
    static final class Doubles extends AbstractList<Double> implements RandomAccess {
        private final double[] values;

        Doubles(double[] values) {
            this.values = values;
        }

        @Override
        public Double get(int index) {
            return values[index];
        }

        @Override
        public int size() {
            return values.length;
        }
    }
}
