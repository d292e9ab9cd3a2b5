package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Fits;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/** Strategies that are sound but for one rule. */
final class BrokenDrafts {
    private BrokenDrafts() {}

    /** Guesses nothing and plans what a test says. */
    private static final class Planning extends TestDrafts {
        private final BiFunction<DraftQuery, Fits, DraftPlan> change;

        Planning(BiFunction<DraftQuery, Fits, DraftPlan> change) {
            super("planning", Shape.CHAIN, 1);
            this.change = change;
        }

        @Override
        public DraftPlan plan(DraftQuery query) {
            return change.apply(query, (Fits) super.plan(query));
        }

        @Override
        protected DraftProposal guess(ProposeRequest request) {
            return DraftProposal.NONE;
        }
    }

    private static Fits with(Fits fits, List<HiddenTap> taps, int maxDepth, String note) {
        return new Fits(fits.strategy(), taps, false, false, fits.shape(), maxDepth, fits.cost(), List.of(note));
    }

    static DraftProvider throwsForASmallTarget() {
        return new Planning((query, fits) -> {
            if (query.shape().layers() < 2) {
                throw new IllegalArgumentException("a target of one layer");
            }
            return fits;
        });
    }

    static DraftProvider tapsALayerThatIsNotThere() {
        return new Planning((query, fits) -> with(fits, List.of(new HiddenTap(5, Stage.LAYER_OUTPUT)), 1, ""));
    }

    static DraftProvider hasNoDepth() {
        return new Planning((query, fits) -> with(fits, List.of(), 0, ""));
    }

    /** A plan that depends on how often it was asked for. */
    static DraftProvider changesItsPlan(AtomicInteger asked) {
        return new Planning((query, fits) -> with(fits, List.of(), 1, "plan " + asked.incrementAndGet()));
    }

    /** Guesses two first tokens whatever shape is asked for. */
    static DraftProvider branchesInAChain() {
        return new TestDrafts("branching", Shape.TREE, 64) {
            @Override
            protected DraftProposal guess(ProposeRequest request) {
                return request.maxNodes() < 2
                        ? DraftProposal.NONE
                        : new DraftProposal(new int[] {1, 2}, new int[] {-1, -1}, new float[0]);
            }
        };
    }

    /** Guesses the token that it heard first after the position where it was last cut. */
    static DraftProvider remembering(boolean forgets) {
        return new TestDrafts("remembering", Shape.CHAIN, 64) {
            @Override
            protected DraftProposal guess(ProposeRequest request) {
                throw new AssertionError("the session guesses");
            }

            @Override
            protected DraftSession session() {
                return new Session() {
                    private int heard;

                    @Override
                    public void onCommitted(CommittedRun run) {
                        heard += run.tokens().length;
                    }

                    @Override
                    public DraftProposal propose(ProposeRequest request) {
                        return DraftProposal.chain(heard % 2);
                    }

                    @Override
                    public void truncate(int position) {
                        heard = forgets ? position : heard;
                    }
                };
            }
        };
    }

    static DraftProvider sessionThrowsAtTheSecondClose() {
        return closing(true, false);
    }

    static DraftProvider modelThrowsAtTheSecondClose() {
        return closing(false, true);
    }

    private static DraftProvider closing(boolean sessionThrows, boolean modelThrows) {
        return new TestDrafts("closing", Shape.CHAIN, 64) {
            @Override
            protected DraftProposal guess(ProposeRequest request) {
                return DraftProposal.NONE;
            }

            @Override
            public DraftModel open(DraftQuery query, DraftHost host) {
                AtomicInteger closed = new AtomicInteger();
                return new DraftModel() {
                    @Override
                    public DraftSession newSession() {
                        return session();
                    }

                    @Override
                    public void close() {
                        closeOnce(modelThrows, closed);
                    }
                };
            }

            @Override
            protected DraftSession session() {
                AtomicInteger closed = new AtomicInteger();
                return new Session() {
                    @Override
                    public void close() {
                        closeOnce(sessionThrows, closed);
                    }
                };
            }
        };
    }

    private static void closeOnce(boolean only, AtomicInteger closed) {
        if (closed.incrementAndGet() > 1 && only) {
            throw new IllegalStateException("closed already");
        }
    }
}
