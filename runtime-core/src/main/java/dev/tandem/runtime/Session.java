package dev.tandem.runtime;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.decode.TokenLoop;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;

/**
 * One sequence of tokens. A new prompt that begins like the last one with its answer reuses what was run. One thread at a
 * time.
 */
public final class Session implements AutoCloseable {
    private final Target target;
    private final Tokenizer tokenizer;
    private final Sequence sequence;
    private int[] held = {};
    private boolean closed;

    Session(Target target, Tokenizer tokenizer) {
        this.target = target;
        this.tokenizer = tokenizer;
        this.sequence = target.newSequence();
    }

    /** Tokens whose states the session holds. */
    public int[] tokens() {
        return held.clone();
    }

    /**
     * Generates after a prompt.
     *
     * @param request the whole prompt, including what the session holds of it, and how to go on
     * @param listener hears tokens and text
     * @return the generation, also where it was cancelled
     * @throws UsageException where the prompt does not fit the context
     * @throws dev.tandem.spi.DeviceException where the device failed
     */
    public GenerationResult generate(GenerationRequest request, GenerationListener listener) {
        requireOpen();
        keepCommonBeginning(request.prompt());
        int[] all = request.prompt();
        try {
            TokenLoop loop = new TokenLoop(target, tokenizer, sequence, request, listener);
            GenerationResult result = loop.run();
            all = joined(request.prompt(), result.ids());
            return result;
        } finally {
            // After a failure nothing is known of tokens beyond the prompt.
            int length = Math.min(sequence.committedRows(), all.length);
            held = length == sequence.committedRows() ? Arrays.copyOf(all, length) : forget();
        }
    }

    /**
     * Logits after a prompt.
     *
     * @param prompt token ids
     * @return one row of the model's vocabulary
     */
    public float[] logits(int[] prompt) {
        requireOpen();
        if (prompt.length == 0 || prompt.length > target.contextRows()) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    "the prompt has " + prompt.length + " tokens, but the context holds 1 to " + target.contextRows());
        }
        keepCommonBeginning(prompt);
        float[] logits = new float[target.vocabulary()];
        for (int at = sequence.committedRows(); at < prompt.length; ) {
            int count = Math.min(target.maxStepRows(), prompt.length - at);
            int[] wanted = at + count == prompt.length ? new int[] {count - 1} : new int[0];
            target.run(sequence, Arrays.copyOfRange(prompt, at, at + count), wanted, logits);
            at += count;
            held = Arrays.copyOf(prompt, at);
        }
        return logits;
    }

    /** Cuts to what the prompt shares, leaving at least one token to run. */
    private void keepCommonBeginning(int[] prompt) {
        int common = 0;
        while (common < Math.min(held.length, prompt.length - 1) && held[common] == prompt[common]) {
            common++;
        }
        int length = target.truncate(sequence, common);
        held = Arrays.copyOf(held, length);
    }

    private int[] forget() {
        target.truncate(sequence, 0);
        return new int[0];
    }

    private static int[] joined(int[] first, int[] second) {
        int[] all = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, all, first.length, second.length);
        return all;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the session is closed");
        }
    }

    /** Frees the sequence. May be called twice. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            target.close(sequence);
        }
    }
}
