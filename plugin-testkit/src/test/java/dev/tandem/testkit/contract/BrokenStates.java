package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.testkit.contract.Harness.Part;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.WrappedState;
import dev.tandem.testkit.wrap.WrappingBackend;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Function;

/** Backends that are sound but for one rule of their sequences. */
final class BrokenStates {
    private BrokenStates() {}

    /** Each row of a step sees all rows before it, its ancestors or not. */
    static Backend takesATreeForAChain() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public void begin(StepKind kind, int[] parents) {
                super.begin(kind, Part.parents(parents.length));
            }
        });
    }

    /** Wraps each state. */
    private static Backend stateful(Function<SequenceState, SequenceState> state) {
        return new WrappingBackend(OracleProvider.open()) {
            @Override
            public SequenceState newState(List<StateSpec> slots, StateOptions options) {
                return state.apply(inner().newState(slots, options));
            }
        };
    }

    static Backend keepsTheFirstRowsInsteadOfThePath() {
        return stateful(FirstRows::new);
    }

    /** Knows chains only: keeps as many rows as the path is long, from the first. */
    private static final class FirstRows extends WrappedState {
        private int[] parents = {};

        FirstRows(SequenceState inner) {
            super(inner);
        }

        @Override
        protected SequenceState wrap(SequenceState fork) {
            return new FirstRows(fork);
        }

        @Override
        public void begin(StepKind kind, int[] of) {
            super.begin(kind, of);
            parents = of;
        }

        @Override
        public void commit(int[] path) {
            int[] chain = Harness.all(path.length);
            boolean fits = true;
            for (int row : chain) {
                fits &= row < parents.length && parents[row] == row - 1;
            }
            super.commit(fits ? chain : path);
        }
    }

    static Backend cutsOneRowTooFew() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public int truncate(int rows) {
                super.truncate(rows + 1);
                return rows;
            }
        });
    }

    /** A fork that is its origin. */
    static Backend forkSharesWrites() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public SequenceState fork() {
                super.fork();
                return this;
            }
        });
    }

    /** Loses what it had when it cannot open a step. */
    static Backend forgetsWhenAStepFails() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public void begin(StepKind kind, int[] parents) {
                try {
                    super.begin(kind, parents);
                } catch (IllegalArgumentException e) {
                    super.truncate(0);
                    throw e;
                }
            }
        });
    }

    /** Exports in an order of bytes of its own, and reads it back. */
    static Backend exportsItsOwnOrder() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public void exportTo(MemorySegment target) {
                super.exportTo(target);
                reverse(target, exportBytes());
            }

            @Override
            public void importFrom(MemorySegment source) {
                MemorySegment copy = MemorySegment.ofArray(source.toArray(ValueLayout.JAVA_BYTE));
                reverse(copy, copy.byteSize());
                super.importFrom(copy);
            }
        });
    }

    private static void reverse(MemorySegment segment, long size) {
        for (long i = 0; i < size / 2; i++) {
            byte low = segment.get(ValueLayout.JAVA_BYTE, i);
            segment.set(ValueLayout.JAVA_BYTE, i, segment.get(ValueLayout.JAVA_BYTE, size - 1 - i));
            segment.set(ValueLayout.JAVA_BYTE, size - 1 - i, low);
        }
    }

    static Backend takesAnyPath() {
        return stateful(state -> new WrappedState(state) {
            @Override
            public void commit(int[] path) {
                try {
                    super.commit(path);
                } catch (IllegalArgumentException e) {
                    super.rollback();
                }
            }
        });
    }
}
