package dev.tandem.runtime.decode;

import dev.tandem.runtime.grammar.TokenGrammar;
import dev.tandem.runtime.sampling.SamplingOptions;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * What to generate.
 *
 * @param prompt token ids, at least one
 * @param maxTokens most tokens to choose; -1 for as many as fit
 * @param sampling how tokens are chosen
 * @param stopStrings texts that end the generation and are not part of it
 * @param ignoreEnd whether to go on after an end-of-generation token
 * @param special whether special tokens are written as text
 * @param cancelled asked between steps
 * @param grammar that the chosen text obeys, made for the same tokenizer; empty for any text
 * @param after how many tokens at the prompt's end were chosen by an earlier generation that this one goes on with: grammar,
 *     stop strings and half characters go on behind them
 */
public record GenerationRequest(
        int[] prompt,
        int maxTokens,
        SamplingOptions sampling,
        List<String> stopStrings,
        boolean ignoreEnd,
        boolean special,
        BooleanSupplier cancelled,
        Optional<TokenGrammar> grammar,
        int after) {
    /**
     * Copies the list. The array is the caller's and must not change.
     *
     * @throws IllegalArgumentException where {@code after} is negative or more than the prompt
     */
    public GenerationRequest {
        if (after < 0 || after > prompt.length) {
            throw new IllegalArgumentException(after + " of " + prompt.length + " tokens");
        }
        stopStrings = List.copyOf(stopStrings);
    }

    /** A request for any text. */
    public GenerationRequest(
            int[] prompt,
            int maxTokens,
            SamplingOptions sampling,
            List<String> stopStrings,
            boolean ignoreEnd,
            boolean special,
            BooleanSupplier cancelled) {
        this(prompt, maxTokens, sampling, stopStrings, ignoreEnd, special, cancelled, Optional.empty(), 0);
    }

    /**
     * This request for a text that obeys a grammar.
     *
     * @param obeyed made for the same tokenizer
     */
    public GenerationRequest withGrammar(TokenGrammar obeyed) {
        return new GenerationRequest(
                prompt, maxTokens, sampling, stopStrings, ignoreEnd, special, cancelled, Optional.of(obeyed), after);
    }

    /**
     * This request as the rest of an earlier one: the tokens are those that the earlier one would have gone on with, given
     * the same options, and the text is what follows the earlier text.
     *
     * @param chosen how many tokens at the prompt's end the earlier one chose
     */
    public GenerationRequest after(int chosen) {
        return new GenerationRequest(
                prompt, maxTokens, sampling, stopStrings, ignoreEnd, special, cancelled, grammar, chosen);
    }

    /**
     * A greedy request without stop strings.
     *
     * @param prompt token ids
     * @param maxTokens most tokens to choose
     */
    public static GenerationRequest greedy(int[] prompt, int maxTokens) {
        return new GenerationRequest(prompt, maxTokens, SamplingOptions.DEFAULTS, List.of(), false, false, () -> false);
    }
}
