package dev.tandem.runtime.speculative;

import dev.tandem.runtime.decode.CommitListener;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.Generation;
import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.PlainStepper;
import dev.tandem.runtime.decode.Stepper;
import dev.tandem.runtime.decode.Taps;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Rounds of guessing: the strategy proposes a tree below the current token, the target runs all of it in one pass, and
 * the generation chooses a token after row after row for as long as its choice is among the guesses. Since every choice
 * is made from the logits, history and position that plain decoding would have, the tokens are those of plain decoding.
 *
 * <p>After a round the strategy hears the verdict, then the committed tokens. It is told of the loss of a device by a
 * truncation to nothing and the tokens again.
 */
final class SpeculativeStepper implements Stepper, CommitListener {
    private final LiveSequence sequence;
    private final Drafter drafter;
    private final DraftOptions options;
    private final @Nullable DepthController controller;
    private final int maxDepth;
    private final PlainStepper plain;
    private final Taps taps;

    private DraftMeter meter = new DraftMeter();
    private @Nullable Generation generation;
    private float[] logits = {};
    /** What happens outside a generation prepares the next. */
    private Phase phase = Phase.PREFILL;

    private boolean parkingReported;
    /** Most rows of a pass; shrinks where the device has no room. */
    private int rowLimit = Integer.MAX_VALUE;

    /**
     * Rounds over a sequence.
     *
     * @param sequence receives the tokens
     * @param drafter guesses; owned
     * @param options bounds
     * @param controller chooses the number of guesses; null for as many as the bounds allow
     * @param plan what the strategy said of itself
     */
    SpeculativeStepper(
            LiveSequence sequence,
            Drafter drafter,
            DraftOptions options,
            @Nullable DepthController controller,
            DraftPlan.Fits plan) {
        this.sequence = sequence;
        this.drafter = drafter;
        this.options = options;
        this.controller = controller;
        this.maxDepth = Math.min(options.maxDepth(), plan.maxDepth());
        this.plain = new PlainStepper(sequence);
        this.taps = new Taps(plan.taps().size());
        sequence.report(this, taps);
    }

    @Override
    public void begin(Generation next) {
        generation = next;
        meter = new DraftMeter();
    }

    @Override
    public void onTruncated(int length) {
        drafter.truncate(length);
    }

    @Override
    public void onCommitted(Commit commit) {
        Phase why = commit.restored() ? Phase.RESTORE : phase;
        // Copies: the strategy may write into what it is given, while this thread reads on.
        drafter.committed(new CommittedRun(
                why,
                commit.start(),
                commit.tokens().clone(),
                commit.taps(),
                commit.rows().clone()));
        // The hidden states of a long prompt must not pile up.
        if (why != Phase.DECODE && !commit.taps().isEmpty()) {
            drafter.settle(this::cancelled);
        }
    }

    private boolean cancelled() {
        Generation current = generation;
        return current != null && current.request().cancelled().getAsBoolean();
    }

    @Override
    public boolean step(Generation current) {
        phase = Phase.DECODE;
        long start = System.nanoTime();
        Optional<DraftTree> tree = guess(current);
        long passing = System.nanoTime();
        if (tree.isPresent() && opened(tree.get())) {
            return walk(current, tree.get(), start, passing);
        }
        int before = current.chosen();
        boolean more = plain.step(current);
        meter.pass(current.chosen() - before, System.nanoTime() - passing);
        if (controller != null && drafter.parked().isEmpty()) {
            controller.passed(System.nanoTime() - passing);
        }
        return more;
    }

    /** Asks for guesses that the request, the context and the target's step have room for. */
    private Optional<DraftTree> guess(Generation current) {
        int room = Math.min(sequence.target().contextRows() - sequence.length(), rowLimit);
        int nodes = Math.min(Math.min(room, sequence.target().maxStepRows()) - 1, options.maxNodes());
        // The pass gives one token more than it confirms.
        int depth = Math.min(maxDepth, current.left() - 1);
        if (controller != null && depth > 0) {
            nodes = controller.next(options.shape() == Shape.CHAIN ? Math.min(nodes, depth) : nodes);
        }
        depth = Math.min(depth, nodes);
        if (depth < 1) {
            return Optional.empty();
        }
        long start = System.nanoTime();
        ProposeRequest request = new ProposeRequest(
                current.lastToken(),
                sequence.length(),
                options.shape(),
                depth,
                nodes,
                current.request().sampling().temperature());
        Optional<DraftTree> tree = drafter.propose(request, current.request().cancelled());
        meter.drafting(System.nanoTime() - start);
        reportParking(current);
        return tree;
    }

    /**
     * Runs all rows and leaves the step open. A device that cannot (no room, or a guess that plain decoding would never
     * run makes it compute nonsense) is no reason to end the generation: without guesses the token may well run.
     */
    private boolean opened(DraftTree tree) {
        int wanted = Math.multiplyExact(tree.rows(), sequence.target().vocabulary());
        if (logits.length < wanted) {
            logits = new float[wanted];
        }
        try {
            sequence.verify(tree.tokens(), tree.parents(), logits);
            return true;
        } catch (DeviceException e) {
            if (e.lost()) {
                throw e;
            }
            if (e.code() == ErrorCode.OUT_OF_MEMORY) {
                rowLimit = tree.rows() / 2;
            }
            return false;
        }
    }

    /** Follows the generation's own choices through the tree and keeps the rows that it passed. */
    private boolean walk(Generation current, DraftTree tree, long start, long passing) {
        int vocabulary = sequence.target().vocabulary();
        int before = current.chosen();
        int[] passed = new int[tree.rows()];
        int length = 0;
        boolean more;
        try {
            int row = 0;
            do {
                passed[length++] = row;
                more = current.choose(logits, row * vocabulary);
                row = more ? tree.child(row, current.lastToken()) : -1;
            } while (row > 0);
        } catch (RuntimeException | Error e) {
            dropOpenRows(e);
            throw e;
        }
        int[] path = Arrays.copyOf(passed, length);
        long walked = System.nanoTime();
        int chosen = current.chosen() - before;
        meter.pass(chosen, walked - passing);
        meter.round(tree, path, more);
        if (chosen == length) {
            drafter.verified(nodes(path), current.lastToken());
        }
        sequence.commit(tree.tokens(), path);
        long end = System.nanoTime();
        meter.committing(end - walked);
        if (controller != null) {
            controller.passed(tree, path, more, end - start);
        }
        return more;
    }

    private void dropOpenRows(Throwable failure) {
        try {
            sequence.rollback();
        } catch (RuntimeException e) {
            failure.addSuppressed(e); // the listener's failure is the news
        }
    }

    private static int[] nodes(int[] path) {
        int[] nodes = new int[path.length - 1];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = path[i + 1] - 1;
        }
        return nodes;
    }

    private void reportParking(Generation current) {
        if (!parkingReported && drafter.parked().isPresent()) {
            parkingReported = true;
            taps.stop();
            current.listener()
                    .onNotice("draft strategy " + drafter.strategy() + " is parked: "
                            + drafter.parked().get() + "; going on without it");
        }
    }

    @Override
    public Optional<DraftStatistics> end() {
        Generation current = Objects.requireNonNull(generation, "no generation has begun");
        drafter.settle(current.request().cancelled());
        phase = Phase.PREFILL;
        reportParking(current);
        return Optional.of(meter.statistics(drafter.strategy(), drafter.parked()));
    }

    @Override
    public void close() {
        drafter.close();
    }
}
