package dev.tandem.runtime.tokenizer;

import java.util.Map;
import java.util.TreeMap;

/**
 * What the name in {@code tokenizer.ggml.pre} means for a byte-level vocabulary; the one table to extend.
 *
 * @param preTokenizer cuts text into words
 * @param wholeWords whether a word that is itself a token becomes that token, whatever the merges say
 * @param addsBos whether a begin-of-sequence token goes first where the file does not say
 */
record PreTokenization(PreTokenizer preTokenizer, boolean wholeWords, boolean addsBos) {
    private static final PreTokenization GPT_2 = new PreTokenization(new Gpt2PreTokenizer(), false, false);
    private static final PreTokenization LLAMA_BPE = new PreTokenization(new Cl100kPreTokenizer(3), true, true);
    private static final PreTokenization QWEN_2 = new PreTokenization(new Cl100kPreTokenizer(1), false, false);

    private static final Map<String, PreTokenization> BY_NAME = Map.of(
            "gpt-2", GPT_2,
            "llama-bpe", LLAMA_BPE,
            "qwen2", QWEN_2);

    /**
     * The meaning of the file's {@code pre}.
     *
     * <p>A file without the key means {@code default}, by the rule of the format: a guess that fits few models well. It
     * is looked up, and refused, like any other name.
     */
    static PreTokenization of(TokenizerMetadata metadata) {
        String name = metadata.text("pre").orElse("default");
        PreTokenization found = BY_NAME.get(name);
        if (found == null) {
            String problem = metadata.text("pre").isPresent()
                    ? "names the pre-tokenizer '" + name + "', which is not supported"
                    : "is missing, which means the pre-tokenizer 'default', which is not supported";
            throw metadata.unsupported(
                    "pre",
                    problem,
                    "Use a model with one of the pre-tokenizers " + String.join(", ", new TreeMap<>(BY_NAME).keySet())
                            + "; a model of those families whose file lacks the key needs a current converter.");
        }
        return found;
    }
}
