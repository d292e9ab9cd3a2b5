package dev.tandem.runtime.decode;

import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Tokens beside the state that they left, so that the state can be built again. When the device is lost, the sequence
 * moves to the target that replaces it, runs its tokens again and repeats the step that failed: the caller notices
 * nothing but the time. A step that fails for want of memory is repeated in halves. One thread at a time.
 */
public final class LiveSequence implements AutoCloseable {
    private final TargetSource source;
    private Target target;
    private Sequence sequence;
    private int[] tokens = {};
    private int length;
    private GenerationListener listener = GenerationListener.NONE;
    private BooleanSupplier cancelled = () -> false;
    private CommitListener commits = CommitListener.NONE;
    private Taps taps = new Taps(0);
    /** Number of tokens of which {@link #commits} knows. */
    private int reported;

    /**
     * A sequence without tokens.
     *
     * @param source gives targets
     */
    public LiveSequence(TargetSource source) {
        this.source = source;
        this.target = source.current();
        this.sequence = target.newSequence();
    }

    /**
     * Who hears of a rebuild and may stop it, until the next call.
     *
     * @param hears notices and progress
     * @param stop asked between steps
     */
    public void attach(GenerationListener hears, BooleanSupplier stop) {
        this.listener = hears;
        this.cancelled = stop;
    }

    /**
     * Who hears of every commit from now on.
     *
     * @param hears commits and cuts; must not touch this sequence
     * @param wanted hidden states that each commit carries
     */
    public void report(CommitListener hears, Taps wanted) {
        this.commits = hears;
        this.taps = wanted;
    }

    /** The target in use; another one after the loss of a device. */
    public Target target() {
        return target;
    }

    /** Number of committed tokens. */
    public int length() {
        return length;
    }

    /** A copy of the committed tokens. */
    public int[] tokens() {
        return Arrays.copyOf(tokens, length);
    }

    /**
     * The state of the committed tokens, in a form that depends on no device.
     *
     * @param slots of the model, as its graph lists them
     * @param arena allocates it
     */
    public MemorySegment export(List<StateSpec> slots, Arena arena) {
        return surviving(() -> target.exclusively(() -> sequence.export(slots, arena)));
    }

    /**
     * Puts tokens and their state in place of those held. Where commits carry hidden states, which no state holds, the
     * sequence is emptied instead, so that whoever hears them hears those of all tokens.
     *
     * @param slots of the model, as its graph lists them
     * @param state what {@link #export} gave
     * @param restored its tokens
     * @return whether the state was taken
     * @throws IllegalArgumentException where the state is not of these slots and tokens
     */
    public boolean restore(List<StateSpec> slots, MemorySegment state, int[] restored) {
        truncate(0);
        if (!taps.names().isEmpty()) {
            return false;
        }
        surviving(() -> target.exclusively(() -> {
            sequence.importFrom(slots, state, restored.length);
            return true;
        }));
        tokens = restored.clone();
        length = restored.length;
        reportCommit(true, 0, tokens.clone(), ascending(length));
        return true;
    }

    /** Cuts to a length; answers the length reached. */
    public int truncate(int rows) {
        length = surviving(() -> target.truncate(sequence, Math.min(rows, length)));
        reportCut(length);
        return length;
    }

    /**
     * Runs and commits a chain of tokens, in as many steps as needed.
     *
     * @param chain any number of tokens that fit the context
     * @param logits receives the logits of the last one; empty where they are not wanted
     * @throws CancellationException where the generation was stopped while state was rebuilt
     */
    public void append(int[] chain, float[] logits) {
        for (int at = 0; at < chain.length; ) {
            int start = at;
            int count = surviving(() -> appendSome(chain, start, target.maxStepRows(), logits));
            at += count;
        }
    }

    /** Runs at most {@code most} tokens from {@code at}; answers how many were committed. */
    private int appendSome(int[] chain, int at, int most, float[] logits) {
        int count = Math.min(most, chain.length - at);
        boolean last = logits.length > 0 && at + count == chain.length;
        int[] part = Arrays.copyOfRange(chain, at, at + count);
        try {
            target.run(sequence, part, last ? new int[] {count - 1} : new int[0], taps, logits);
        } catch (DeviceException e) {
            if (e.code() != ErrorCode.OUT_OF_MEMORY || e.lost() || count == 1) {
                throw e;
            }
            return appendSome(chain, at, count / 2, logits);
        }
        record(part, ascending(count));
        return count;
    }

    /**
     * Opens a step over a tree of tokens; commits nothing. Where the device is lost in the middle, it is repeated on the
     * new one.
     *
     * @param nodes one token per row
     * @param parents per row
     * @param logits receives one row of logits per token
     */
    public void verify(int[] nodes, int[] parents, float[] logits) {
        int[] all = ascending(nodes.length);
        surviving(() -> {
            target.step(List.of(new Target.Slice(sequence, StepKind.VERIFY, nodes, parents, all)), taps, logits);
            return true;
        });
    }

    private static int[] ascending(int count) {
        return IntStream.range(0, count).toArray();
    }

    /**
     * Commits a path of the open step.
     *
     * @param nodes the step's tokens
     * @param path rows kept
     */
    public void commit(int[] nodes, int[] path) {
        int[] kept = new int[path.length];
        for (int i = 0; i < path.length; i++) {
            kept[i] = nodes[path[i]];
        }
        try {
            target.commit(sequence, path);
        } catch (DeviceException e) {
            if (!e.lost()) {
                throw e;
            }
            record(kept, path);
            rebuild(e);
            return;
        }
        record(kept, path);
    }

    /** Drops the open step. */
    public void rollback() {
        surviving(() -> {
            target.rollback(sequence);
            return true;
        });
    }

    private void record(int[] added, int[] rows) {
        int start = length;
        if (length + added.length > tokens.length) {
            tokens = Arrays.copyOf(tokens, Math.max(length + added.length, 2 * tokens.length));
        }
        System.arraycopy(added, 0, tokens, length, added.length);
        length += added.length;
        reportCommit(false, start, added, rows);
    }

    private void reportCommit(boolean restored, int start, int[] added, int[] rows) {
        reported = start + added.length;
        commits.onCommitted(new CommitListener.Commit(restored, start, added, taps.rows(), rows));
    }

    private void reportCut(int remaining) {
        if (remaining < reported) {
            reported = remaining;
            commits.onTruncated(remaining);
        }
    }

    private <T> T surviving(Supplier<T> call) {
        while (true) {
            try {
                return call.get();
            } catch (DeviceException e) {
                if (!e.lost()) {
                    throw e;
                }
                rebuild(e);
            }
        }
    }

    /** Moves to the replacement and runs the tokens again; a replacement that is lost too is replaced in turn. */
    private void rebuild(DeviceException failure) {
        DeviceException cause = failure;
        while (true) {
            try {
                target.close(sequence);
                Target next = source.afterLoss(target, cause);
                listener.onNotice(cause.getMessage() + "; going on with " + next.devices() + ", running " + length
                        + " tokens again");
                target = next;
                sequence = target.newSequence();
                rerun();
                return;
            } catch (DeviceException e) {
                if (!e.lost() || e == cause) {
                    throw e;
                }
                cause = e;
            }
        }
    }

    private void rerun() {
        reportCut(0);
        for (int at = 0; at < length; ) {
            if (cancelled.getAsBoolean()) {
                length = at;
                throw new CancellationException("stopped while state was rebuilt");
            }
            int count = Math.min(target.maxStepRows(), length - at);
            int[] part = Arrays.copyOfRange(tokens, at, at + count);
            target.run(sequence, part, new int[0], taps, new float[0]);
            reportCommit(true, at, part, ascending(count));
            at += count;
            listener.onRestore(at, length);
        }
    }

    /** Frees the state. May be called twice. */
    @Override
    public void close() {
        target.close(sequence);
    }
}
