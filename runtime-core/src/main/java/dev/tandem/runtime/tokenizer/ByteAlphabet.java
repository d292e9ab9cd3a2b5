package dev.tandem.runtime.tokenizer;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The 256 characters by which byte-level vocabularies write bytes, from the encoder published with GPT-2.
 *
 * <p>Visible Latin-1 characters stand for their own code; the other bytes take, in order, the characters from U+0100.
 */
final class ByteAlphabet {
    private static final char[] CHAR_OF_BYTE = new char[256];
    private static final int[] BYTE_OF_CHAR = new int[512];

    static {
        int next = 256;
        for (int b = 0; b < 256; b++) {
            boolean visible = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xAC) || b >= 0xAE;
            CHAR_OF_BYTE[b] = (char) (visible ? b : next++);
        }
        Arrays.fill(BYTE_OF_CHAR, -1);
        for (int b = 0; b < 256; b++) {
            BYTE_OF_CHAR[CHAR_OF_BYTE[b]] = b;
        }
    }

    private ByteAlphabet() {}

    /** The character for a byte, 0 to 255. */
    static char charOf(int unsignedByte) {
        return CHAR_OF_BYTE[unsignedByte];
    }

    /** The bytes that a piece of a vocabulary writes; a character outside the alphabet stands for its own UTF-8. */
    static byte[] bytesOf(String piece) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(piece.length());
        piece.codePoints().forEach(codePoint -> {
            int value = codePoint < BYTE_OF_CHAR.length ? BYTE_OF_CHAR[codePoint] : -1;
            if (value >= 0) {
                bytes.write(value);
            } else {
                bytes.writeBytes(Character.toString(codePoint).getBytes(StandardCharsets.UTF_8));
            }
        });
        return bytes.toByteArray();
    }
}
