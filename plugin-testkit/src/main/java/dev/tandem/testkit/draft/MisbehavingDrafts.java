package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.draft.Verdict;
import java.util.concurrent.atomic.AtomicInteger;

/** Guesses token 0 until one of its calls misbehaves. */
abstract class MisbehavingDrafts extends TestDrafts {
    private final Call where;
    private final int harmless;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();

    MisbehavingDrafts(String id, Call where, int harmless) {
        super(id, DraftPlan.Shape.CHAIN, 64);
        this.where = where;
        this.harmless = harmless;
    }

    /**
     * How often it was called where it misbehaves.
     *
     * @return harmless calls included
     */
    public final int calls() {
        return asked.get();
    }

    /**
     * How often a session was closed.
     *
     * @return counted as the call begins
     */
    public final int closed() {
        return closed.get();
    }

    abstract void misbehave();

    private void at(Call here) {
        if (here == where && asked.incrementAndGet() > harmless) {
            misbehave();
        }
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        at(Call.PLAN);
        return super.plan(query);
    }

    @Override
    public DraftModel open(DraftQuery query, DraftHost host) {
        at(Call.OPEN);
        return super.open(query, host);
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        at(Call.PROPOSE);
        return DraftProposal.chain(0);
    }

    @Override
    protected DraftSession session() {
        at(Call.NEW_SESSION);
        return new Session() {
            @Override
            public void onCommitted(CommittedRun run) {
                at(Call.ON_COMMITTED);
            }

            @Override
            public void onVerified(Verdict verdict) {
                at(Call.ON_VERIFIED);
            }

            @Override
            public void truncate(int position) {
                at(Call.TRUNCATE);
            }

            @Override
            public void close() {
                closed.incrementAndGet();
                at(Call.CLOSE);
            }
        };
    }
}
