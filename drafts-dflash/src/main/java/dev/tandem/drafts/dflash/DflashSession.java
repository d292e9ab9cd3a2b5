package dev.tandem.drafts.dflash;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.Step;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The context of one sequence: keys and values of the positions projected so far, and hidden states of the rest. Hidden
 * states are projected when a guess is asked for, or when enough have gathered to make a run worth while, so that a
 * session that is not asked costs next to nothing.
 */
final class DflashSession implements DraftSession {
    private final DflashModel model;
    private final DraftHost.State state;
    private final Features waiting;
    /** Positions whose keys and values the state holds. */
    private int projected;

    private boolean closed;

    DflashSession(DflashModel model) {
        this.model = model;
        this.state = model.newState();
        this.waiting = new Features(model.drafter().taps().size(), model.targetHidden());
    }

    private int length() {
        return projected + waiting.rows();
    }

    @Override
    public void onCommitted(CommittedRun run) {
        if (run.start() != length()) {
            throw new IllegalArgumentException("tokens from position " + run.start() + " follow " + length());
        }
        for (int row : run.rows()) {
            waiting.add(run.taps(), row);
            if (waiting.rows() == DflashModel.CONTEXT_ROWS) {
                project();
            }
        }
    }

    private void project() {
        int count = waiting.rows();
        if (count == 0) {
            return;
        }
        state.begin(StepKind.PREFILL, chain(count));
        try {
            int[] positions = IntStream.range(projected, projected + count).toArray();
            model.context()
                    .run(new DraftHost.Run(state, new int[0], positions, new int[0], waiting.first(count), Set.of()));
        } catch (RuntimeException e) {
            state.rollback();
            throw e;
        }
        state.commit(IntStream.range(0, count).toArray());
        projected += count;
        waiting.dropFirst(count);
    }

    private static int[] chain(int rows) {
        return IntStream.range(-1, rows - 1).toArray();
    }

    @Override
    public DraftProposal propose(ProposeRequest request) {
        if (request.position() != length()) {
            throw new IllegalArgumentException("asked at position " + request.position() + " of " + length());
        }
        project();
        int depth = Math.min(request.maxDepth(), model.drafter().block() - 1);
        int best = model.best();
        int[] ids = new int[depth * best];
        float[] logProbs = new float[depth * best];
        runBlock(request, depth, ids, logProbs);
        PrefixTree.Guesses guesses = new PrefixTree.Guesses(depth, best, ids, logProbs);
        return request.shape() == Shape.CHAIN
                ? PrefixTree.chain(guesses, Math.min(depth, request.maxNodes()))
                : PrefixTree.mostProbable(guesses, request.maxNodes());
    }

    /** The block's rows leave no trace: they stand for positions of which the target has said nothing. */
    private void runBlock(ProposeRequest request, int depth, int[] ids, float[] logProbs) {
        int rows = depth + 1;
        int[] tokens = new int[rows];
        Arrays.fill(tokens, model.drafter().maskToken());
        tokens[0] = request.token();
        int[] positions =
                IntStream.range(request.position(), request.position() + rows).toArray();
        int[] masks = IntStream.range(1, rows).toArray();
        state.begin(StepKind.VERIFY, chain(rows));
        try {
            Step step = model.block()
                    .run(new DraftHost.Run(
                            state, tokens, positions, masks, Map.of(), Set.of(BlockGraphs.IDS, BlockGraphs.LOG_PROBS)));
            copy(step.output(BlockGraphs.IDS), MemorySegment.ofArray(ids));
            copy(step.output(BlockGraphs.LOG_PROBS), MemorySegment.ofArray(logProbs));
        } finally {
            state.rollback();
        }
    }

    private static void copy(Rows rows, MemorySegment target) {
        rows.copyTo(0, rows.count(), target);
    }

    @Override
    public void truncate(int position) {
        if (position < projected) {
            projected = state.truncate(position);
            waiting.keep(0);
        } else {
            waiting.keep(position - projected);
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            state.close();
        }
    }
}
