package dev.tandem.runtime.tokenizer;

/**
 * Decodes UTF-8 that arrives in pieces, and never gives out a broken character.
 *
 * <p>The bytes of an unfinished character are held back until it is whole. A sequence that can no longer become valid
 * gives one U+FFFD as soon as that is known: one for each longest prefix of a valid sequence, else one for the byte, as
 * the Unicode standard recommends (chapter 3.9, "U+FFFD Substitution of Maximal Subparts"). The text depends on the
 * bytes alone, not on how they were cut. Not thread-safe.
 */
public final class Utf8Stream {
    private static final char REPLACEMENT = '\uFFFD';

    /** Continuation bytes still due; 0 between characters. */
    private int due;

    private int codePoint;
    /** Bounds of the next continuation byte; narrower behind E0, ED, F0, F4, which exclude overlong forms and more. */
    private int least;

    private int greatest;

    /** A stream that holds nothing back. */
    public Utf8Stream() {
        reset();
    }

    /**
     * Takes the next bytes.
     *
     * @param bytes any number of them
     * @return the characters that are now whole; possibly empty
     */
    public String accept(byte[] bytes) {
        StringBuilder text = new StringBuilder(bytes.length);
        for (byte b : bytes) {
            accept(b & 0xFF, text);
        }
        return text.toString();
    }

    /**
     * Ends the stream, which may then begin anew.
     *
     * @return U+FFFD where a character was left unfinished, else empty
     */
    public String flush() {
        boolean unfinished = due > 0;
        reset();
        return unfinished ? Character.toString(REPLACEMENT) : "";
    }

    private void accept(int b, StringBuilder text) {
        if (due > 0 && (b < least || b > greatest)) {
            text.append(REPLACEMENT);
            reset();
        }
        if (due == 0) {
            begin(b, text);
            return;
        }
        codePoint = (codePoint << 6) | (b & 0x3F);
        least = 0x80;
        greatest = 0xBF;
        if (--due == 0) {
            text.appendCodePoint(codePoint);
        }
    }

    private void begin(int b, StringBuilder text) {
        if (b < 0x80) {
            text.append((char) b);
        } else if (b >= 0xC2 && b <= 0xDF) {
            due = 1;
            codePoint = b & 0x1F;
        } else if (b >= 0xE0 && b <= 0xEF) {
            due = 2;
            codePoint = b & 0x0F;
            least = b == 0xE0 ? 0xA0 : 0x80;
            greatest = b == 0xED ? 0x9F : 0xBF;
        } else if (b >= 0xF0 && b <= 0xF4) {
            due = 3;
            codePoint = b & 0x07;
            least = b == 0xF0 ? 0x90 : 0x80;
            greatest = b == 0xF4 ? 0x8F : 0xBF;
        } else {
            text.append(REPLACEMENT);
        }
    }

    private void reset() {
        due = 0;
        codePoint = 0;
        least = 0x80;
        greatest = 0xBF;
    }
}
