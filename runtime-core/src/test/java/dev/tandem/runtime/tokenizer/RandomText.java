package dev.tandem.runtime.tokenizer;

import java.util.List;
import java.util.Random;

/** Seeded random text that dwells on what tokenizers get wrong. */
final class RandomText {
    private static final List<String> AWKWARD = List.of(
            " ",
            "  ",
            "\n",
            "\r\n",
            "\r",
            "\t",
            "\u000B",
            "\u0085",
            "\u00A0",
            "\u1680",
            "\u2003",
            "\u2028",
            "\u202F",
            "\u3000",
            "\u200B",
            "\u180E",
            "\uFEFF",
            "\0",
            "\u001C",
            "\u007F",
            "'s",
            "'S",
            "'ll",
            "'Re",
            "'",
            "’s",
            "'VE",
            "a",
            "Z",
            "é",
            "e\u0301",
            "ß",
            "ſ",
            "ʼ",
            "ª",
            "ǅ",
            "日本",
            "한국",
            "нет",
            "سلام",
            "ก็",
            "क्षि",
            "0",
            "12345",
            "½",
            "Ⅷ",
            "٣",
            "𝟘",
            "²",
            "!",
            "...",
            "<|",
            "_",
            "$",
            "₿",
            "🚀",
            "👩‍👩‍👧",
            "👍🏽",
            "🇩🇪",
            "\uE000",
            "𐍈",
            "\uDB40\uDC61",
            "\uFFFD",
            "\uFFFF",
            "\u0378",
            "Aa",
            "aB",
            "ABC",
            "A\u0301",
            "ʰ",
            "文A",
            "カナー",
            "가",
            "，",
            "「",
            "\u2126",
            "\u212A",
            "\u1F71",
            "/",
            "[x",
            "`",
            "int",
            " return",
            "{}",
            "//");

    private final Random random;

    RandomText(long seed) {
        random = new Random(seed);
    }

    /** Well-formed text of up to so many parts. */
    String next(int parts) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(parts + 1); i > 0; i--) {
            switch (random.nextInt(4)) {
                case 0 -> text.appendCodePoint(scalar());
                case 1 -> text.append((char) random.nextInt(128));
                default -> text.append(AWKWARD.get(random.nextInt(AWKWARD.size())));
            }
        }
        return text.toString();
    }

    private int scalar() {
        int value = random.nextInt(0x110000 - 0x800);
        return value < Character.MIN_SURROGATE ? value : value + 0x800;
    }
}
