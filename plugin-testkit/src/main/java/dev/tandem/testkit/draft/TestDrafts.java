package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.List;

/** A strategy without files, weights and taps, whose guess depends on the request alone. */
public abstract class TestDrafts implements DraftProvider {
    private final String id;
    private final DraftPlan.Shape shape;
    private final int maxDepth;

    /**
     * A strategy.
     *
     * @param id name
     * @param shape of its proposals
     * @param maxDepth longest path that its plan names
     */
    protected TestDrafts(String id, DraftPlan.Shape shape, int maxDepth) {
        this.id = id;
        this.shape = shape;
        this.maxDepth = maxDepth;
    }

    /** Whether the proposal must be a chain. */
    final boolean chain(ProposeRequest request) {
        return shape == DraftPlan.Shape.CHAIN || request.shape() == DraftPlan.Shape.CHAIN;
    }

    @Override
    public final String id() {
        return id;
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        return new DraftPlan.Fits(
                id, List.of(), false, false, shape, maxDepth, new Cost(0, 0, Growth.FREE), List.of("made for tests"));
    }

    @Override
    public DraftModel open(DraftQuery query, DraftHost host) {
        return new DraftModel() {
            @Override
            public DraftSession newSession() {
                return session();
            }

            @Override
            public void close() {}
        };
    }

    /**
     * Starts a sequence.
     *
     * @return a session that proposes what {@link #guess} says
     */
    protected DraftSession session() {
        return new Session();
    }

    /**
     * Guesses.
     *
     * @param request the current token and the bounds
     * @return any proposal
     */
    protected abstract DraftProposal guess(ProposeRequest request);

    /** Proposes guesses and hears nothing. */
    protected class Session implements DraftSession {
        /** A session. */
        protected Session() {}

        @Override
        public void onCommitted(CommittedRun run) {}

        @Override
        public DraftProposal propose(ProposeRequest request) {
            return guess(request);
        }

        @Override
        public void truncate(int position) {}

        @Override
        public void close() {}
    }
}
