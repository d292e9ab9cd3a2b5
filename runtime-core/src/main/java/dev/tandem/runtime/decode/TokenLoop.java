package dev.tandem.runtime.decode;

import dev.tandem.runtime.sampling.Sampler;
import dev.tandem.runtime.sampling.StopStrings;
import dev.tandem.runtime.sampling.TokenHistory;
import dev.tandem.runtime.tokenizer.StreamDecoder;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One generation over one sequence: runs the part of the prompt that the sequence does not hold yet, then chooses and
 * runs tokens until something ends it. What the sequence holds afterwards is a beginning of prompt and chosen tokens.
 */
public final class TokenLoop {
    private final Tokenizer tokenizer;
    private final LiveSequence sequence;
    private final GenerationRequest request;
    private final GenerationListener listener;
    private final Sampler sampler;
    private final StreamDecoder decoder;
    private final StopStrings stops;
    private final StringBuilder text = new StringBuilder();
    private final float[] logits;
    private int[] tokens;
    private int length;

    /**
     * A loop for one request.
     *
     * @param tokenizer of the model
     * @param sequence holds a beginning of the prompt
     * @param request what to generate
     * @param listener hears it
     */
    public TokenLoop(
            Tokenizer tokenizer, LiveSequence sequence, GenerationRequest request, GenerationListener listener) {
        this.tokenizer = tokenizer;
        this.sequence = sequence;
        this.request = request;
        this.listener = listener;
        this.sampler = new Sampler(request.sampling());
        this.decoder = tokenizer.stream(request.special());
        this.stops = new StopStrings(request.stopStrings());
        this.logits = new float[sequence.target().vocabulary()];
        this.tokens = request.prompt().clone();
        this.length = tokens.length;
    }

    /**
     * Checks that a prompt can be run.
     *
     * @throws UsageException where it is empty or leaves no room in the context
     */
    static void checkPrompt(int[] prompt, int contextRows) {
        if (prompt.length == 0) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "the prompt is empty", "Give a prompt of at least one token.");
        }
        if (prompt.length > contextRows) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    "the prompt has " + prompt.length + " tokens, but the context holds " + contextRows);
        }
    }

    /**
     * Runs the loop.
     *
     * @return what was generated, also where it was cancelled
     */
    public GenerationResult run() {
        checkPrompt(request.prompt(), sequence.target().contextRows());
        request.sampling().checkVocabulary(tokenizer.vocabularySize());
        sequence.attach(listener, request.cancelled());
        long start = System.nanoTime();
        int held = sequence.length();
        StopReason reason;
        long prefilled = start;
        try {
            boolean prompted = prefill();
            prefilled = System.nanoTime();
            reason = prompted ? decode() : StopReason.CANCELLED;
        } catch (CancellationException e) {
            reason = finished(StopReason.CANCELLED);
        }
        long end = System.nanoTime();
        int promptLength = request.prompt().length;
        Timings timings = new Timings(
                Math.max(0, Math.min(sequence.length(), promptLength) - held),
                prefilled - start,
                Math.max(0, sequence.length() - promptLength),
                end - prefilled);
        int[] chosen = Arrays.copyOfRange(tokens, promptLength, length);
        return new GenerationResult(request.prompt(), chosen, text.toString(), reason, timings);
    }

    /** Runs the rest of the prompt; false where it was cancelled. */
    private boolean prefill() {
        int total = request.prompt().length;
        while (sequence.length() < total) {
            if (request.cancelled().getAsBoolean()) {
                return false;
            }
            int at = sequence.length();
            int end = Math.min(total, at + sequence.target().maxStepRows());
            sequence.append(Arrays.copyOfRange(tokens, at, end), end == total ? logits : new float[0]);
            listener.onPrefill(end, total);
        }
        return true;
    }

    private StopReason decode() {
        for (int chosen = 0; ; chosen++) {
            if (request.maxTokens() >= 0 && chosen >= request.maxTokens()) {
                return finished(StopReason.MAX_TOKENS);
            }
            if (request.cancelled().getAsBoolean()) {
                return finished(StopReason.CANCELLED);
            }
            int id = sampler.sample(logits, 0, tokenizer.vocabularySize(), TokenHistory.of(tokens, length), length);
            append(id);
            listener.onToken(id);
            StopReason reason = endOf(id);
            if (reason != null) {
                return reason;
            }
            if (length > sequence.target().contextRows()) {
                return finished(StopReason.CONTEXT_FULL);
            }
            boolean another = request.maxTokens() < 0 || chosen + 1 < request.maxTokens();
            if (another) {
                sequence.append(new int[] {id}, logits);
            }
        }
    }

    private void append(int id) {
        if (length == tokens.length) {
            tokens = Arrays.copyOf(tokens, length + Math.max(64, length / 2));
        }
        tokens[length++] = id;
    }

    /** Emits a token's text; the reason where the token ends the generation. */
    private @Nullable StopReason endOf(int id) {
        boolean end = tokenizer.endOfGeneration().contains(id);
        if (end && !request.ignoreEnd()) {
            return finished(StopReason.END_OF_GENERATION);
        }
        emit(stops.accept(decoder.accept(id)));
        return stops.match().isPresent() ? StopReason.STOP_STRING : null;
    }

    /** Emits what was held back. */
    private StopReason finished(StopReason reason) {
        emit(stops.accept(decoder.flush()));
        if (stops.match().isPresent()) {
            return StopReason.STOP_STRING;
        }
        emit(stops.flush());
        return reason;
    }

    private void emit(String piece) {
        if (!piece.isEmpty()) {
            text.append(piece);
            listener.onText(piece);
        }
    }
}
