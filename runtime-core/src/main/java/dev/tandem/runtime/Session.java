package dev.tandem.runtime;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.Stepper;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.runtime.decode.TokenLoop;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;
import java.util.function.Function;

/**
 * One sequence of tokens. A new prompt that begins like the last one with its answer reuses what was run. One thread at a
 * time.
 */
public final class Session implements AutoCloseable {
    private final Tokenizer tokenizer;
    private final LiveSequence sequence;
    private final Stepper stepper;
    private boolean closed;

    Session(TargetSource source, Tokenizer tokenizer, Function<LiveSequence, Stepper> stepping) {
        this.tokenizer = tokenizer;
        this.sequence = new LiveSequence(source);
        this.stepper = stepping.apply(sequence);
    }

    /** Tokens whose states the session holds. */
    public int[] tokens() {
        return sequence.tokens();
    }

    /**
     * Generates after a prompt.
     *
     * @param request the whole prompt, including what the session holds of it, and how to go on
     * @param listener hears tokens and text
     * @return the generation, also where it was cancelled
     * @throws UsageException where the prompt does not fit the context
     * @throws dev.tandem.spi.DeviceException where the device failed and there is no other
     */
    public GenerationResult generate(GenerationRequest request, GenerationListener listener) {
        requireOpen();
        keepCommonBeginning(request.prompt());
        return new TokenLoop(tokenizer, sequence, stepper, request, listener).run();
    }

    /**
     * Logits after a prompt.
     *
     * @param prompt token ids
     * @return one row of the model's vocabulary
     */
    public float[] logits(int[] prompt) {
        requireOpen();
        int context = sequence.target().contextRows();
        if (prompt.length == 0 || prompt.length > context) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    "the prompt has " + prompt.length + " tokens, but the context holds 1 to " + context);
        }
        keepCommonBeginning(prompt);
        float[] logits = new float[sequence.target().vocabulary()];
        sequence.append(Arrays.copyOfRange(prompt, sequence.length(), prompt.length), logits);
        return logits;
    }

    /** Cuts to what the prompt shares, leaving at least one token to run. */
    private void keepCommonBeginning(int[] prompt) {
        int[] held = sequence.tokens();
        int common = 0;
        while (common < Math.min(held.length, prompt.length - 1) && held[common] == prompt[common]) {
            common++;
        }
        sequence.truncate(common);
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
            stepper.close();
            sequence.close();
        }
    }
}
