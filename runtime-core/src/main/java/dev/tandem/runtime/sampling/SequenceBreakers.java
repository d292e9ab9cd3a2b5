package dev.tandem.runtime.sampling;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;

/** Texts at which a repetition ends, found in the bytes of tokens. */
final class SequenceBreakers {
    private final List<byte[]> breakers;
    private final IntFunction<byte[]> bytes;
    private final int longest;

    /**
     * Breakers of a vocabulary.
     *
     * @param texts none empty
     * @param bytes of a token
     */
    SequenceBreakers(List<String> texts, IntFunction<byte[]> bytes) {
        this.breakers = texts.stream()
                .map(text -> text.getBytes(StandardCharsets.UTF_8))
                .toList();
        this.bytes = bytes;
        this.longest = breakers.stream().mapToInt(b -> b.length).max().orElse(0);
    }

    /** How many of the first {@code n} ids stand behind the last one in which a breaker ends. */
    int unbroken(int[] ids, int n) {
        int count = 0;
        while (count < n && (longest == 0 || !endsOne(ids, n - 1 - count))) {
            count++;
        }
        return count;
    }

    /** Whether a breaker lies in the bytes of an id. */
    boolean holdsOne(int id) {
        byte[] own = bytes.apply(id);
        return breakers.stream().anyMatch(breaker -> endsIn(own, own.length, breaker));
    }

    private boolean endsOne(int[] ids, int index) {
        byte[] own = bytes.apply(ids[index]);
        byte[] text = own;
        for (int i = index - 1; i >= 0 && text.length < own.length + longest - 1; i--) {
            text = joined(bytes.apply(ids[i]), text);
        }
        for (byte[] breaker : breakers) {
            if (endsIn(text, own.length, breaker)) {
                return true;
            }
        }
        return false;
    }

    /** Whether an occurrence ends in the last {@code last} bytes. */
    private static boolean endsIn(byte[] text, int last, byte[] breaker) {
        for (int end = text.length; end > text.length - last && end >= breaker.length; end--) {
            if (matches(text, end - breaker.length, breaker)) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(byte[] text, int from, byte[] breaker) {
        for (int i = 0; i < breaker.length; i++) {
            if (text[from + i] != breaker[i]) {
                return false;
            }
        }
        return true;
    }

    private static byte[] joined(byte[] first, byte[] second) {
        byte[] both = new byte[first.length + second.length];
        System.arraycopy(first, 0, both, 0, first.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
