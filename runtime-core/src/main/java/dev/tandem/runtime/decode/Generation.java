package dev.tandem.runtime.decode;

import dev.tandem.runtime.grammar.TokenMask;
import dev.tandem.runtime.sampling.Sampler;
import dev.tandem.runtime.sampling.SamplerMemory;
import dev.tandem.runtime.sampling.StopStrings;
import dev.tandem.runtime.sampling.TokenHistory;
import dev.tandem.runtime.tokenizer.StreamDecoder;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One generation in progress: its tokens so far, how the next is chosen, what the listener hears of it and when it ends.
 * Whoever runs the model, one token or a tree of guesses at a time, asks it for each token in order, so that the stream
 * cannot depend on how the logits were come by. One thread at a time.
 */
public final class Generation {
    private final Tokenizer tokenizer;
    private final GenerationRequest request;
    private final GenerationListener listener;
    private final int contextRows;
    private final Sampler sampler;
    private final StreamDecoder decoder;
    private StopStrings stops;
    private final @Nullable TokenMask mask;
    private final StringBuilder text = new StringBuilder();
    private int[] tokens;
    private int length;
    /** Characters at the beginning of the text that an earlier generation has shown already. */
    private int shown;

    private @Nullable StopReason reason;

    /**
     * A generation that has chosen nothing.
     *
     * @param tokenizer of the model
     * @param request what to generate
     * @param listener hears it
     * @param contextRows most rows of its sequence
     */
    Generation(Tokenizer tokenizer, GenerationRequest request, GenerationListener listener, int contextRows) {
        this.tokenizer = tokenizer;
        this.request = request;
        this.listener = listener;
        this.contextRows = contextRows;
        this.sampler = new Sampler(request.sampling(), tokenizer::bytes);
        this.decoder = tokenizer.stream(request.special());
        this.stops = new StopStrings(request.stopStrings());
        this.mask = request.grammar()
                .map(grammar -> grammar.begin(tokenizer, !request.ignoreEnd()))
                .orElse(null);
        this.tokens = request.prompt().clone();
        this.length = tokens.length;
        goOn();
    }

    /** Takes what an earlier generation chose, so that what it left open goes on. */
    private void goOn() {
        for (int i = length - request.after(); i < length; i++) {
            if (mask != null && !mask.allowed().get(tokens[i])) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "the text to go on with does not obey the grammar from token " + i + " on",
                        "Use the grammar that it was begun with, or none.");
            }
            if (mask != null && !tokenizer.endOfGeneration().contains(tokens[i])) {
                mask.accept(tokens[i]);
            }
            stops.accept(decoder.accept(tokens[i]));
        }
        if (stops.match().isPresent()) {
            stops = new StopStrings(request.stopStrings());
        }
        // The end of the earlier generation gave out what it had held back.
        shown = stops.heldBack();
    }

    /** Goes on with what the sampler of an earlier generation knew. */
    void resume(SamplerMemory memory) {
        sampler.resume(memory);
    }

    /** What a sampler must know to go on. */
    Optional<SamplerMemory> memory() {
        return sampler.memory();
    }

    /** What was asked for. */
    public GenerationRequest request() {
        return request;
    }

    /** Who hears it. */
    public GenerationListener listener() {
        return listener;
    }

    /** Number of tokens, prompt included: the position of the next one. */
    public int length() {
        return length;
    }

    /** Number of chosen tokens. */
    public int chosen() {
        return length - request.prompt().length;
    }

    /** How many more tokens the request allows; the context may allow fewer. */
    public int left() {
        return request.maxTokens() < 0 ? Integer.MAX_VALUE : request.maxTokens() - chosen();
    }

    /** The newest token. */
    public int lastToken() {
        return tokens[length - 1];
    }

    /** A copy of some tokens, prompt included. */
    public int[] tokens(int from, int to) {
        Objects.checkFromToIndex(from, to, length);
        return Arrays.copyOfRange(tokens, from, to);
    }

    /** The text of the chosen tokens, as the listener heard it. */
    String text() {
        return text.toString();
    }

    /** Why it ended. */
    StopReason reason() {
        return Objects.requireNonNull(reason, "the generation has not ended");
    }

    /**
     * Chooses the next token and emits it, unless the generation ends first.
     *
     * @param logits holds the row of logits after the newest token
     * @param offset logit of id 0
     * @return whether the generation goes on, which takes the logits after the token just chosen
     */
    public boolean choose(float[] logits, int offset) {
        if (left() == 0) {
            return finish(StopReason.MAX_TOKENS);
        }
        if (request.cancelled().getAsBoolean()) {
            return finish(StopReason.CANCELLED);
        }
        BitSet allowed = mask == null ? null : mask.allowed();
        if (mask != null && allowed != null && allowed.isEmpty()) {
            requireWhole(mask);
            return finish(StopReason.END_OF_GENERATION);
        }
        TokenHistory history = TokenHistory.of(tokens, length);
        int id = sampler.sample(logits, offset, tokenizer.vocabularySize(), history, length, allowed);
        append(id);
        listener.onChoice(id, logits, offset, tokenizer.vocabularySize());
        listener.onToken(id);
        if (tokenizer.endOfGeneration().contains(id) && !request.ignoreEnd()) {
            return finish(StopReason.END_OF_GENERATION);
        }
        emit(stops.accept(decoder.accept(id)));
        if (stops.match().isPresent()) {
            reason = StopReason.STOP_STRING;
            return false;
        }
        if (mask != null && follow(mask, id)) {
            return finish(StopReason.END_OF_GENERATION);
        }
        if (length > contextRows) {
            return finish(StopReason.CONTEXT_FULL);
        }
        if (left() == 0) {
            return finish(StopReason.MAX_TOKENS);
        }
        if (mask != null) {
            mask.prepare();
        }
        return true;
    }

    private static void requireWhole(TokenMask mask) {
        if (!mask.mayEnd()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "no token of the model can go on as the grammar demands",
                    "Use a grammar of characters that the model's tokens can write.");
        }
    }

    /** Takes the token; whether nothing can follow it. */
    private static boolean follow(TokenMask mask, int id) {
        mask.accept(id);
        return mask.isComplete();
    }

    /** Ends the generation and emits what was held back, which may complete a stop string; always false. */
    boolean finish(StopReason because) {
        reason = because;
        emit(stops.accept(decoder.flush()));
        if (stops.match().isPresent()) {
            reason = StopReason.STOP_STRING;
        } else {
            emit(stops.flush());
        }
        return false;
    }

    private void append(int id) {
        if (length == tokens.length) {
            tokens = Arrays.copyOf(tokens, length + Math.max(64, length / 2));
        }
        tokens[length++] = id;
    }

    private void emit(String piece) {
        int known = Math.min(shown, piece.length());
        shown -= known;
        if (piece.length() > known) {
            String added = piece.substring(known);
            text.append(added);
            listener.onText(added);
        }
    }
}
