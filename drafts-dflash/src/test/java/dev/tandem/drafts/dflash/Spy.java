package dev.tandem.drafts.dflash;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.draft.Verdict;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.model.ModelView;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The strategy, watched: its first block and the verdicts on its guesses. */
final class Spy implements DraftProvider {
    private final DflashProvider real = new DflashProvider();
    /** Tokens gained per round: the accepted ones and the target's own. */
    final List<Integer> accepted = new CopyOnWriteArrayList<>();

    int best;
    int @Nullable [] firstIds;
    float @Nullable [] firstLogProbs;

    @Override
    public String id() {
        return real.id();
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        return real.plan(query);
    }

    @Override
    public DraftModel open(DraftQuery query, DraftHost host) {
        DraftModel model = real.open(query, new WatchedHost(host));
        return new DraftModel() {
            @Override
            public DraftSession newSession() {
                return watched(model.newSession());
            }

            @Override
            public void close() {
                model.close();
            }
        };
    }

    private DraftSession watched(DraftSession session) {
        return new DraftSession() {
            @Override
            public void onCommitted(CommittedRun run) {
                session.onCommitted(run);
            }

            @Override
            public DraftProposal propose(ProposeRequest request) {
                return session.propose(request);
            }

            @Override
            public void onVerified(Verdict verdict) {
                accepted.add(verdict.accepted().length + 1);
                session.onVerified(verdict);
            }

            @Override
            public void truncate(int position) {
                session.truncate(position);
            }

            @Override
            public void close() {
                session.close();
            }
        };
    }

    private final class WatchedHost implements DraftHost {
        private final DraftHost host;

        WatchedHost(DraftHost host) {
            this.host = host;
        }

        @Override
        public Value embed(Graph.Builder graph) {
            return host.embed(graph);
        }

        @Override
        public Value logits(Graph.Builder graph, Value hidden) {
            return host.logits(graph, hidden);
        }

        @Override
        public Compiled compile(Graph graph, List<ModelView> models, int maxStepRows) {
            Compiled compiled = host.compile(graph, models, maxStepRows);
            return new Compiled() {
                @Override
                public Step run(Run run) {
                    Step step = compiled.run(run);
                    if (firstIds == null && run.outputs().contains(BlockGraphs.IDS)) {
                        Rows ids = step.output(BlockGraphs.IDS);
                        best = ids.type().columns();
                        int[] copiedIds = new int[ids.count() * best];
                        float[] copiedLogProbs = new float[copiedIds.length];
                        ids.copyTo(0, ids.count(), MemorySegment.ofArray(copiedIds));
                        step.output(BlockGraphs.LOG_PROBS)
                                .copyTo(0, ids.count(), MemorySegment.ofArray(copiedLogProbs));
                        firstIds = copiedIds;
                        firstLogProbs = copiedLogProbs;
                    }
                    return step;
                }

                @Override
                public void close() {
                    compiled.close();
                }
            };
        }

        @Override
        public State newState(List<StateSpec> slots, int maxRows, int maxStepRows) {
            return host.newState(slots, maxRows, maxStepRows);
        }
    }
}
