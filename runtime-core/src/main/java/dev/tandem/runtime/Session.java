package dev.tandem.runtime;

import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.Stepper;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.runtime.decode.TokenLoop;
import dev.tandem.runtime.files.OutputFile;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * One sequence of tokens. A new prompt that begins like the last one with its answer reuses what was run. One thread at a
 * time.
 */
public final class Session implements AutoCloseable {
    private final Tokenizer tokenizer;
    private final LiveSequence sequence;
    private final Stepper stepper;
    private final SessionFiles files;
    /** The newest text, of which the sequence holds a beginning. */
    private SessionFiles.Text text = new SessionFiles.Text(new int[0], 0, Optional.empty());

    private boolean closed;

    Session(TargetSource source, Tokenizer tokenizer, Function<LiveSequence, Stepper> stepping, SessionFiles files) {
        this.tokenizer = tokenizer;
        this.files = files;
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
        SessionFiles.Text before = text;
        keepCommonBeginning(request.prompt());
        TokenLoop loop = new TokenLoop(tokenizer, sequence, stepper, request, listener);
        if (request.after() > 0 && Arrays.equals(request.prompt(), before.tokens())) {
            before.memory().ifPresent(loop::resume);
        }
        GenerationResult result = loop.run();
        int[] all = IntStream.concat(IntStream.of(request.prompt()), IntStream.of(result.ids()))
                .toArray();
        text = new SessionFiles.Text(all, request.after() + result.ids().length, loop.memory());
        return result;
    }

    /**
     * Saves tokens and state, so that another session of the same model can go on from here, in another process, on another
     * device and with other threads. An earlier file of that name is replaced once all is written.
     *
     * @param file to write
     * @throws UsageException where nothing was run yet, or the file cannot be written
     */
    public void save(Path file) {
        try (OutputFile output = OutputFile.prepare(file)) {
            save(output, "");
        }
    }

    /**
     * Saves as {@link #save(Path)} does, with a text of the caller's.
     *
     * @param file prepared before
     * @param note given back by {@link #load}
     * @throws UsageException where nothing was run yet, or the file cannot be written
     */
    public void save(OutputFile file, String note) {
        requireOpen();
        // A generation that failed in the middle leaves tokens of which no result told.
        boolean known = text.tokens().length >= sequence.length();
        SessionFiles.Text saved = known ? text : new SessionFiles.Text(sequence.tokens(), 0, Optional.empty());
        files.save(file, sequence, saved, note);
    }

    /**
     * Puts a saved sequence in place of this one. A prompt that begins with its tokens then runs only what follows them. A
     * draft strategy that listens to hidden states hears those of all tokens, which are therefore run again.
     *
     * @param file that {@link #save(Path)} wrote
     * @return its tokens, and what is needed to go on with the last generation
     * @throws UsageException where the file is damaged, or was saved with another model, precision, type of keys and values,
     *     or version
     */
    public SavedText load(Path file) {
        requireOpen();
        SessionFiles.Loaded loaded = files.load(file, sequence);
        text = loaded.text();
        return new SavedText(text.tokens().clone(), text.chosen(), sequence.length(), loaded.note());
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
        text = new SessionFiles.Text(prompt.clone(), 0, Optional.empty());
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
        text = new SessionFiles.Text(sequence.tokens(), 0, Optional.empty());
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
