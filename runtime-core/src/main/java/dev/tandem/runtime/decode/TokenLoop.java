package dev.tandem.runtime.decode;

import dev.tandem.runtime.sampling.SamplerMemory;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * One generation over one sequence: runs the part of the prompt that the sequence does not hold yet, then chooses and
 * runs tokens until something ends it. What the sequence holds afterwards is a beginning of prompt and chosen tokens.
 */
public final class TokenLoop {
    private final Tokenizer tokenizer;
    private final LiveSequence sequence;
    private final Stepper stepper;
    private final GenerationRequest request;
    private final GenerationListener listener;
    private final Generation generation;

    /**
     * A loop that runs one token at a time.
     *
     * @param tokenizer of the model
     * @param sequence holds a beginning of the prompt
     * @param request what to generate
     * @param listener hears it
     */
    public TokenLoop(
            Tokenizer tokenizer, LiveSequence sequence, GenerationRequest request, GenerationListener listener) {
        this(tokenizer, sequence, new PlainStepper(sequence), request, listener);
    }

    /**
     * A loop for one request.
     *
     * @param tokenizer of the model
     * @param sequence holds a beginning of the prompt
     * @param stepper runs the chosen tokens over the sequence
     * @param request what to generate
     * @param listener hears it
     */
    public TokenLoop(
            Tokenizer tokenizer,
            LiveSequence sequence,
            Stepper stepper,
            GenerationRequest request,
            GenerationListener listener) {
        this.tokenizer = tokenizer;
        this.sequence = sequence;
        this.stepper = stepper;
        this.request = request;
        this.listener = listener;
        this.generation =
                new Generation(tokenizer, request, listener, sequence.target().contextRows());
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
     * Goes on with what the sampler of an earlier generation knew; to be called before {@link #run}.
     *
     * @param memory of that sampler after the prompt's last token
     */
    public void resume(SamplerMemory memory) {
        generation.resume(memory);
    }

    /** What a sampler must know, beside the tokens, to go on after the last one; empty for nothing. */
    public Optional<SamplerMemory> memory() {
        return generation.memory();
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
        long prefilled = start;
        try {
            stepper.begin(generation);
            float[] logits = new float[sequence.target().vocabulary()];
            boolean more = prefill(logits);
            prefilled = System.nanoTime();
            more = more && generation.choose(logits, 0);
            while (more) {
                more = stepper.step(generation);
            }
        } catch (CancellationException e) {
            generation.finish(StopReason.CANCELLED);
        }
        long end = System.nanoTime();
        return result(held, prefilled - start, end - prefilled);
    }

    /**
     * Runs the rest of the prompt; false where it was cancelled.
     *
     * @param logits receives those of the last token
     */
    private boolean prefill(float[] logits) {
        int total = request.prompt().length;
        while (sequence.length() < total) {
            if (request.cancelled().getAsBoolean()) {
                return generation.finish(StopReason.CANCELLED);
            }
            int end = Math.min(total, sequence.length() + sequence.target().maxStepRows());
            sequence.append(generation.tokens(sequence.length(), end), end == total ? logits : new float[0]);
            stepper.prefilled();
            listener.onPrefill(end, total);
        }
        return true;
    }

    private GenerationResult result(int held, long prefillNanos, long decodeNanos) {
        int promptLength = request.prompt().length;
        Timings timings = new Timings(
                Math.max(0, Math.min(sequence.length(), promptLength) - held),
                prefillNanos,
                Math.max(0, sequence.length() - promptLength),
                decodeNanos);
        Optional<DraftStatistics> draft = stepper.end();
        int[] chosen = generation.tokens(promptLength, generation.length());
        return new GenerationResult(request.prompt(), chosen, generation.text(), generation.reason(), timings, draft);
    }
}
