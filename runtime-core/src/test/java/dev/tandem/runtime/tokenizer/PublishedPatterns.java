package dev.tandem.runtime.tokenizer;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The patterns of pre-tokenizers as the models' authors published them, in stages: each cuts out its matches from what the
 * stage before it cut. Written here a second time, for other regular expression engines to run.
 */
final class PublishedPatterns {
    private static final String CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
    private static final String SPACES = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
    private static final String GPT_2 =
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
    private static final String LLAMA_3 =
            CONTRACTIONS + "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" + SPACES;
    private static final String NOT_LOWER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String NOT_UPPER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
    private static final String EAST_ASIAN = "[\u4E00-\u9FA5\u0800-\u4E00\uAC00-\uD7FF]+";
    private static final String CASED =
            "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕ"
                    + "ἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-\u1F7Dᾀ-ᾴᾶ-ᾼ\u1FBEῂ-ῄῆ-ῌῐ-\u1FD3ῖ-\u1FDBῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤ\u2126ℨ\u212A-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤ"
                    + "Ⳬ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-𐳲𑢠-𑣟𞤀-𞥃";

    static final Map<String, List<String>> BY_NAME = Map.ofEntries(
            Map.entry("gpt-2", List.of(GPT_2)),
            Map.entry("llama-bpe", List.of(LLAMA_3)),
            Map.entry("qwen2", List.of(LLAMA_3.replace("{1,3}", ""))),
            Map.entry(
                    "qwen35",
                    List.of(CONTRACTIONS
                            + "|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|"
                            + SPACES)),
            Map.entry("gpt-4o", List.of(o200k(CONTRACTIONS + "?", "{1,3}"))),
            Map.entry("tekken", List.of(o200k("", ""))),
            Map.entry("smollm", List.of("\\p{N}", GPT_2)),
            Map.entry("dbrx", List.of(LLAMA_3)),
            Map.entry("glm4", List.of(LLAMA_3)),
            Map.entry(
                    "deepseek-llm",
                    List.of(
                            "[\\r\\n]",
                            "\\s?[" + CASED + "]+",
                            "\\s?[!-/:-~！-／：-～‘-‟\u3000-。]+",
                            "\\s+$",
                            EAST_ASIAN,
                            "\\p{N}")),
            Map.entry("deepseek-coder", List.of("[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", EAST_ASIAN, "\\p{N}")),
            Map.entry(
                    "deepseek-v3",
                    List.of(
                            "\\p{N}{1,3}",
                            "[一-龥\u3040-ゟ゠-ヿ]+",
                            "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
                                    + "| ?[\\p{P}\\p{S}]+[\\r\\n]*|" + SPACES)),
            Map.entry("default", List.of("[\\p{P}\\$\\+<=>\\^~\\|]+", GPT_2, "\\p{N}+", "[0-9][0-9][0-9]")));

    private PublishedPatterns() {}

    /** The stages of a pre-tokenizer. */
    static List<String> of(String name) {
        return Objects.requireNonNull(BY_NAME.get(name), name);
    }

    private static String o200k(String contractions, String digits) {
        String lead = "[^\\r\\n\\p{L}\\p{N}]?";
        return lead + NOT_LOWER + "*" + NOT_UPPER + "+" + contractions + "|" + lead + NOT_LOWER + "+" + NOT_UPPER + "*"
                + contractions + "|\\p{N}" + digits + "| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" + SPACES;
    }
}
