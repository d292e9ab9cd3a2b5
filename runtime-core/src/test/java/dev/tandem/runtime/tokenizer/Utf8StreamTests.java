package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class Utf8StreamTests {
    private static final String MIXED =
            "a é 日 🚀 👩‍👩‍👧 \u0000\u007F\u0080\u07FF\u0800\uD7FF\uE000\uFFFF\uD800\uDC00\uDBFF\uDFFF\r\n";

    @Test
    void decodesEveryScalarValueByteByByte() {
        Utf8Stream stream = new Utf8Stream();
        for (int codePoint = 0; codePoint <= Character.MAX_CODE_POINT; codePoint++) {
            if (Character.getType(codePoint) != Character.SURROGATE) {
                String expected = Character.toString(codePoint);
                StringBuilder text = new StringBuilder();
                for (byte b : expected.getBytes(StandardCharsets.UTF_8)) {
                    text.append(stream.accept(new byte[] {b}));
                }
                assertEquals(expected, text.toString());
            }
        }
        assertEquals("", stream.flush());
    }

    @Test
    void givesTheSameTextForEverySplit() {
        byte[] bytes = MIXED.getBytes(StandardCharsets.UTF_8);
        for (int first = 0; first <= bytes.length; first++) {
            for (int second = first; second <= bytes.length; second++) {
                Utf8Stream stream = new Utf8Stream();
                String text = stream.accept(Arrays.copyOfRange(bytes, 0, first))
                        + stream.accept(Arrays.copyOfRange(bytes, first, second))
                        + stream.accept(Arrays.copyOfRange(bytes, second, bytes.length))
                        + stream.flush();
                assertEquals(MIXED, text);
            }
        }
    }

    /** The first three rows are tables 3-8, 3-9 and 3-10 of the Unicode standard, chapter 3.9; the fourth is 3-11. */
    @ParameterizedTest
    @CsvSource({
        "C0AFE080BFF0818241, ????????A",
        "EDA080EDBFBFEDAF41, ????????A",
        "F4919293FF4180BF42, ?????A??B",
        "E180E2F09192F1BF41, ????A",
        "80, ?",
        "F5808080, ????",
        "E0A0, ?",
        "F09F9A, ?",
        "F09F9AF09F9A80, ?🚀",
        "C3C3A9, ?é",
    })
    void replacesEachMaximalSubpartOfAnInvalidSequence(String hex, String expected) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        Utf8Stream whole = new Utf8Stream();
        assertEquals(expected.replace('?', '\uFFFD'), whole.accept(bytes) + whole.flush());
    }

    @Test
    void replacesAtOnceWhatCanNoLongerBecomeValid() {
        Utf8Stream stream = new Utf8Stream();
        assertEquals("\uFFFD", stream.accept(new byte[] {(byte) 0xFF}));
        assertEquals("", stream.accept(new byte[] {(byte) 0xE2, (byte) 0x82}));
        assertEquals("\uFFFDx", stream.accept(new byte[] {'x'}));
        assertEquals("", stream.flush());
    }

    @Test
    void startsAnewAfterFlush() {
        Utf8Stream stream = new Utf8Stream();
        assertEquals("", stream.accept(new byte[] {(byte) 0xF0, (byte) 0x9F}));
        assertEquals("\uFFFD", stream.flush());
        assertEquals("é", stream.accept("é".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void givesTheSameTextForRandomBytesHoweverTheyAreCut() {
        for (long seed = 0; seed < 2_000; seed++) {
            Random random = new Random(seed);
            byte[] bytes = new byte[random.nextInt(40)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (random.nextBoolean() ? 0x80 + random.nextInt(64) : random.nextInt(256));
            }
            Utf8Stream whole = new Utf8Stream();
            String expected = whole.accept(bytes) + whole.flush();
            Utf8Stream cut = new Utf8Stream();
            StringBuilder text = new StringBuilder();
            for (int from = 0, to; from < bytes.length; from = to) {
                to = Math.min(bytes.length, from + 1 + random.nextInt(4));
                text.append(cut.accept(Arrays.copyOfRange(bytes, from, to)));
            }
            assertEquals(expected, text.append(cut.flush()).toString(), "seed " + seed);
        }
    }
}
