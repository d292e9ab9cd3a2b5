package dev.tandem.runtime.decode;

import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.StepKind;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

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

    /** Cuts to a length; answers the length reached. */
    public int truncate(int rows) {
        length = surviving(() -> target.truncate(sequence, Math.min(rows, length)));
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
            target.run(sequence, part, last ? new int[] {count - 1} : new int[0], logits);
        } catch (DeviceException e) {
            if (e.code() != ErrorCode.OUT_OF_MEMORY || e.lost() || count == 1) {
                throw e;
            }
            return appendSome(chain, at, count / 2, logits);
        }
        record(part);
        return count;
    }

    /**
     * Opens a step over a tree of tokens; commits nothing. Where the device is lost in the middle, it is repeated on the
     * new one.
     *
     * @param nodes one token per row
     * @param parents per row
     * @param taps further outputs wanted
     * @param logits receives one row of logits per token
     * @return the outputs, valid until the next step of the target
     */
    public PlacedGraph.Result verify(int[] nodes, int[] parents, Set<String> taps, float[] logits) {
        int[] all = new int[nodes.length];
        for (int i = 0; i < all.length; i++) {
            all[i] = i;
        }
        return surviving(() ->
                target.step(List.of(new Target.Slice(sequence, StepKind.VERIFY, nodes, parents, all)), taps, logits));
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
            record(kept);
        } catch (DeviceException e) {
            if (!e.lost()) {
                throw e;
            }
            record(kept);
            rebuild(e);
        }
    }

    /** Drops the open step. */
    public void rollback() {
        surviving(() -> {
            target.rollback(sequence);
            return true;
        });
    }

    private void record(int[] added) {
        if (length + added.length > tokens.length) {
            tokens = Arrays.copyOf(tokens, Math.max(length + added.length, 2 * tokens.length));
        }
        System.arraycopy(added, 0, tokens, length, added.length);
        length += added.length;
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
        for (int at = 0; at < length; ) {
            if (cancelled.getAsBoolean()) {
                length = at;
                throw new CancellationException("stopped while state was rebuilt");
            }
            int count = Math.min(target.maxStepRows(), length - at);
            target.run(sequence, Arrays.copyOfRange(tokens, at, at + count), new int[0], new float[0]);
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
