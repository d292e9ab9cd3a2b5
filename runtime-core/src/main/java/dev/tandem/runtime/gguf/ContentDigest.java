package dev.tandem.runtime.gguf;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A digest of whole files, made of pieces so that all processors can work at it: SHA-256 over the sizes of the files and the
 * SHA-256 of each of their pieces, in order.
 */
final class ContentDigest {
    private static final long PIECE_BYTES = 1L << 24;

    private ContentDigest() {}

    /** The digest as lower-case hexadecimal digits. */
    static String of(List<MemorySegment> files) {
        MessageDigest whole = sha256();
        for (MemorySegment file : files) {
            whole.update(Long.toString(file.byteSize()).getBytes(StandardCharsets.US_ASCII));
            whole.update((byte) '\n');
            long pieces = Math.ceilDiv(file.byteSize(), PIECE_BYTES);
            LongStream.range(0, pieces)
                    .parallel()
                    .mapToObj(piece -> ofPiece(file, piece * PIECE_BYTES))
                    .toList()
                    .forEach(whole::update);
        }
        return HexFormat.of().formatHex(whole.digest());
    }

    private static byte[] ofPiece(MemorySegment file, long start) {
        MessageDigest digest = sha256();
        digest.update(file.asSlice(start, Math.min(PIECE_BYTES, file.byteSize() - start))
                .asByteBuffer());
        return digest.digest();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
