package dev.tandem.runtime.tokenizer;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a name in {@code tokenizer.ggml.pre} means for a byte-level vocabulary; the one table to extend.
 *
 * @param name in the file
 * @param evidence what it was compared with
 * @param preTokenizer cuts text into words
 * @param wholeWords whether a word that is itself a token becomes that token, whatever the merges say
 * @param addsBos whether a begin-of-sequence token goes first where the file does not say
 * @param aliases other names of the same rules
 */
record PreTokenization(
        String name,
        Evidence evidence,
        PreTokenizer preTokenizer,
        boolean wholeWords,
        boolean addsBos,
        List<String> aliases) {

    /** The name that a file without the key means, by the rule of the format: a guess that fits few models well. */
    static final String DEFAULT = "default";

    /** Adding a row: evidence is NONE until the row is named in the test that compares it. */
    static final List<PreTokenization> TABLE = List.of(
            row("gpt-2", Evidence.VECTORS, new Gpt2PreTokenizer(), "phi-2", "olmo"),
            new PreTokenization(
                    "llama-bpe",
                    Evidence.VECTORS,
                    new Cl100kPreTokenizer(3, false),
                    true,
                    true,
                    List.of("llama3", "llama-v3", "lfm2", "falcon3", "pixtral")),
            row("qwen2", Evidence.VECTORS, new Cl100kPreTokenizer(1, false), "deepseek-r1-qwen", "megrez"),
            row("qwen35", Evidence.REFERENCE, new Cl100kPreTokenizer(1, true)),
            row("gpt-4o", Evidence.REFERENCE, new O200kPreTokenizer(3, true), "llama4", "kanana2"),
            new PreTokenization("tekken", Evidence.REFERENCE, new O200kPreTokenizer(1, false), true, true, List.of()),
            row(
                    "smollm",
                    Evidence.REFERENCE,
                    numbers(1).then(new Gpt2PreTokenizer()),
                    "starcoder",
                    "refact",
                    "command-r"),
            row("dbrx", Evidence.REFERENCE, new Cl100kPreTokenizer(3, false), "smaug-bpe"),
            row("glm4", Evidence.REFERENCE, new Cl100kPreTokenizer(3, false), "chatglm-bpe"),
            row("deepseek-llm", Evidence.REFERENCE, DeepSeekPatterns.LLM),
            row("deepseek-coder", Evidence.REFERENCE, DeepSeekPatterns.CODER),
            row("deepseek-v3", Evidence.REFERENCE, DeepSeekPatterns.V3, "hunyuan-dense", "joyai-llm"),
            row(DEFAULT, Evidence.REFERENCE, formatDefault()));

    private static PreTokenization row(String name, Evidence evidence, PreTokenizer preTokenizer, String... aliases) {
        return new PreTokenization(name, evidence, preTokenizer, false, false, List.of(aliases));
    }

    /** {@code \p{N}{1,most}} */
    private static PreTokenizer numbers(int most) {
        return new IsolatingPreTokenizer((scanner, at) -> scanner.run(at, CodePoints::isNumber, most));
    }

    /** {@code [\p{P}$+<=>^~|]+}, then GPT-2's pattern, then {@code \p{N}+}, then {@code [0-9][0-9][0-9]}. */
    private static PreTokenizer formatDefault() {
        return new IsolatingPreTokenizer((scanner, at) ->
                        scanner.run(at, c -> CodePoints.isPunctuation(c) || "$+<=>^~|".indexOf(c) >= 0))
                .then(new Gpt2PreTokenizer())
                .then(numbers(Integer.MAX_VALUE))
                .then(new IsolatingPreTokenizer((scanner, at) -> {
                    int end = scanner.run(at, c -> c >= '0' && c <= '9', 3);
                    return end == at + 3 ? end : at;
                }));
    }

    /** The meaning of the file's {@code pre}. */
    static PreTokenization of(TokenizerMetadata metadata) {
        String name = metadata.text("pre").orElse(DEFAULT);
        return TABLE.stream()
                .filter(row -> row.name.equals(name) || row.aliases.contains(name))
                .findFirst()
                .orElseThrow(() -> metadata.unsupported(
                        "pre",
                        "names the pre-tokenizer '" + name + "', which is not supported",
                        "Use a model with one of the pre-tokenizers " + names() + "."));
    }

    private static String names() {
        return TABLE.stream()
                .flatMap(row -> Stream.concat(Stream.of(row.name), row.aliases.stream()))
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
