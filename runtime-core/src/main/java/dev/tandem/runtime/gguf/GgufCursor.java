package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * Reads a part from front to back and checks each step against the bytes that are left.
 *
 * <p>It remembers which key or tensor is being read, so that every refusal names the file, that subject and the field.
 */
final class GgufCursor {
    static final ValueLayout.OfShort INT16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong INT64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int SHOWN_CHARS = 80;
    private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]");

    private final MemorySegment segment;
    private final String file;
    private long position;
    private String kind = "header";
    private String subject = "";
    private long number;

    GgufCursor(MemorySegment segment, String file, long position) {
        this.segment = segment;
        this.file = file;
        this.position = position;
    }

    /** Says that what follows belongs to the key or tensor of this name. */
    void enter(String kind, String name) {
        this.kind = kind;
        subject = name;
        number = 0;
    }

    /** Says that what follows belongs to a key or tensor whose name is not known yet; numbers start at 1. */
    void enter(String kind, long number) {
        this.kind = kind;
        this.number = number;
    }

    long position() {
        return position;
    }

    long remaining() {
        return segment.byteSize() - position;
    }

    int int32(String field) {
        require(Integer.BYTES, field);
        int value = segment.get(INT32, position);
        position += Integer.BYTES;
        return value;
    }

    long int64(String field) {
        require(Long.BYTES, field);
        long value = segment.get(INT64, position);
        position += Long.BYTES;
        return value;
    }

    /** Reads an unsigned number of things, of which each takes at least {@code bytesEach} of the bytes that follow. */
    long count(String field, long bytesEach, long limit) {
        long count = int64(field);
        if (count < 0 || count > limit) {
            throw corrupt(field + " " + Long.toUnsignedString(count) + " is above the limit of " + limit);
        }
        if (count > remaining() / bytesEach) {
            throw corrupt(field + " " + count + " needs at least " + bytesEach * count + " bytes, but only "
                    + remaining() + " follow");
        }
        return count;
    }

    /** Reads a string; bytes that are no UTF-8 become U+FFFD. */
    String text(String field, long limitBytes) {
        int length = (int) count(field, 1, limitBytes);
        byte[] bytes = new byte[length];
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, position, bytes, 0, length);
        position += length;
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Skips strings.
     *
     * <p>The loop is bare because it usually runs once, before anything is compiled, over all words of a vocabulary.
     */
    void skipTexts(String field, int count, long limitBytes) {
        long lastLength = segment.byteSize() - Long.BYTES;
        long at = position;
        for (int i = 0; i < count; i++) {
            long length = at <= lastLength ? segment.get(INT64, at) : -1;
            if (length < 0 || length > limitBytes || length > lastLength - at) {
                position = at;
                count(field, 1, limitBytes); // Refuses, and says why.
            }
            at += Long.BYTES + length;
        }
        position = at;
    }

    void skip(String field, long bytes) {
        require(bytes, field);
        position += bytes;
    }

    ModelFileException corrupt(String detail) {
        return new ModelFileException(ErrorCode.FILE_CORRUPT, message(detail));
    }

    /** The text of a refusal: file, subject, detail. */
    String message(String detail) {
        String named = number > 0 ? " number " + number : subject.isEmpty() ? "" : " " + quote(subject);
        return file + ": " + kind + named + ": " + detail;
    }

    /** A name as shown in messages: shortened, and without characters that could steer a terminal. */
    static String quote(String name) {
        String shown = name.length() > SHOWN_CHARS ? name.substring(0, SHOWN_CHARS) + "..." : name;
        return "'" + UNPRINTABLE.matcher(shown).replaceAll("?") + "'";
    }

    private void require(long bytes, String field) {
        if (bytes > remaining()) {
            throw corrupt(field + " is cut off: it needs " + bytes + " bytes at offset " + position
                    + ", but the file ends after " + segment.byteSize());
        }
    }
}
