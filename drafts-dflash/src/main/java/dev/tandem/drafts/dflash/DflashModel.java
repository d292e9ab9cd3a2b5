package dev.tandem.drafts.dflash;

import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import java.util.List;

/** The compiled graphs of a drafter. */
final class DflashModel implements DraftModel {
    /** Tokens per position that may enter a tree: what stands further down is not worth a row. */
    private static final int BEST = 16;
    /** Positions projected in one run. */
    static final int CONTEXT_ROWS = 64;

    private final DrafterFile drafter;
    private final DraftQuery query;
    private final DraftHost host;
    private final BlockGraphs graphs;
    private final int best;
    private final DraftHost.Compiled context;
    private final DraftHost.Compiled block;

    DflashModel(DrafterFile drafter, DraftQuery query, DraftHost host) {
        this.drafter = drafter;
        this.query = query;
        this.host = host;
        this.graphs = new BlockGraphs(drafter, query.shape().hidden());
        this.best = Math.min(BEST, query.limits().maxTopK());
        this.context = host.compile(graphs.context(), List.of(drafter.file()), CONTEXT_ROWS);
        this.block = host.compile(graphs.block(host, best), List.of(drafter.file()), drafter.block());
    }

    DrafterFile drafter() {
        return drafter;
    }

    int targetHidden() {
        return query.shape().hidden();
    }

    /** Tokens that the block graph gives per row. */
    int best() {
        return best;
    }

    DraftHost.Compiled context() {
        return context;
    }

    DraftHost.Compiled block() {
        return block;
    }

    DraftHost.State newState() {
        int open = Math.max(CONTEXT_ROWS, drafter.block());
        return host.newState(graphs.slots(), query.limits().contextRows() + open, open);
    }

    @Override
    public DraftSession newSession() {
        return new DflashSession(this);
    }

    @Override
    public void close() {
        context.close();
        block.close();
    }
}
