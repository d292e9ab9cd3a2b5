package dev.tandem.runtime.tokenizer;

import java.util.Collections;
import java.util.List;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which tokens end an answer.
 *
 * <p>The rule: the tokens that the file names by {@code eos_token_id}, {@code eot_token_id} and {@code eom_token_id}, and
 * those of a list of well-known texts that the file marks as control tokens (many files name just one of several). One
 * exception: where both {@code <|return|>} and {@code <|call|>}, or both {@code <|calls|>} and {@code <|flush|>}, are
 * control tokens, {@code <|end|>} only parts two messages of one answer, and ends it only if the file names it.
 */
final class EndTokens {
    private static final List<String> NAMED = List.of("eos_token_id", "eot_token_id", "eom_token_id");

    private static final List<String> WELL_KNOWN = List.of(
            "<|im_end|>",
            "<|eot_id|>",
            "<|eom_id|>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<|end|>",
            "<|return|>",
            "<|call|>",
            "<|calls|>",
            "<|flush|>",
            "<end_of_turn>",
            "<end_of_utterance>",
            "<eos>",
            "</s>",
            "<EOT>",
            "_<EOT>",
            "[EOT]",
            "[EOS]",
            "[e~[",
            "<｜end▁of▁sentence｜>");

    private EndTokens() {}

    static Set<Integer> of(TokenizerMetadata metadata, Vocabulary vocabulary) {
        NavigableSet<Integer> ends = new TreeSet<>();
        boolean endParts = isControl(vocabulary, "<|return|>") && isControl(vocabulary, "<|call|>")
                || isControl(vocabulary, "<|calls|>") && isControl(vocabulary, "<|flush|>");
        for (String text : WELL_KNOWN) {
            boolean parts = endParts && text.equals("<|end|>");
            if (isControl(vocabulary, text) && !parts) {
                ends.add(vocabulary.id(text).getAsInt());
            }
        }
        for (String name : NAMED) {
            OptionalInt id = metadata.id(name, vocabulary.size());
            id.ifPresent(ends::add);
        }
        return Collections.unmodifiableNavigableSet(ends);
    }

    private static boolean isControl(Vocabulary vocabulary, String text) {
        OptionalInt id = vocabulary.id(text);
        return id.isPresent() && vocabulary.type(id.getAsInt()) == TokenType.CONTROL;
    }
}
