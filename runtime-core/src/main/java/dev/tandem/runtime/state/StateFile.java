package dev.tandem.runtime.state;

import dev.tandem.runtime.files.OutputFile;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file of a saved state. All numbers are little-endian:
 *
 * <ol>
 *   <li>8 bytes {@code TANDEMST}, the version of this format as u32, the size of the header as u32;
 *   <li>the header, lines of UTF-8 ({@link StateHeader});
 *   <li>the tokens, i32 each;
 *   <li>the caller's note, UTF-8;
 *   <li>the state in its portable form ({@link Sequence#export});
 *   <li>SHA-256 of everything before.
 * </ol>
 *
 * <p>A file is untrusted: its size must be what its header says before anything is read for it, its digest must be right
 * before anything in it is believed, and memory is taken only after the caller has accepted the header.
 */
public final class StateFile {
    /** The version of the format that is written, and the only one that is read. */
    static final int VERSION = 1;

    /** Largest note, in bytes of UTF-8. */
    static final int MAX_NOTE_BYTES = 1 << 26;

    private static final String REMEDY = "Save a new one with --save-state.";
    private static final byte[] MAGIC = "TANDEMST".getBytes(StandardCharsets.US_ASCII);
    private static final int PREFIX_BYTES = 16;
    private static final int MAX_HEADER_BYTES = 1 << 16;
    private static final int DIGEST_BYTES = 32;
    private static final int COPY_BYTES = 1 << 20;

    private StateFile() {}

    /**
     * What a file holds.
     *
     * @param header accepted
     * @param tokens as many as it says
     * @param note the caller's own text
     * @param state as many bytes as it says
     */
    public record Contents(StateHeader header, int[] tokens, String note, MemorySegment state) {}

    /**
     * Writes a file.
     *
     * @param file replaced once all is written
     * @param contents whose header says the sizes of the rest
     * @throws UsageException where that fails
     */
    public static void write(OutputFile file, Contents contents) {
        file.write(channel -> {
            Digesting sink = new Digesting(channel);
            byte[] header = contents.header().print().getBytes(StandardCharsets.UTF_8);
            if (header.length > MAX_HEADER_BYTES) {
                throw new IOException("the name of the model's file is too long");
            }
            sink.write(littleEndian(PREFIX_BYTES)
                    .put(MAGIC)
                    .putInt(VERSION)
                    .putInt(header.length)
                    .flip());
            sink.write(ByteBuffer.wrap(header));
            ByteBuffer tokens = littleEndian(contents.tokens().length * Integer.BYTES);
            tokens.asIntBuffer().put(contents.tokens());
            sink.write(tokens);
            sink.write(ByteBuffer.wrap(contents.note().getBytes(StandardCharsets.UTF_8)));
            forEachPiece(contents.state(), sink::write);
            OutputFile.writeAll(channel, ByteBuffer.wrap(sink.digest.digest()));
        });
    }

    /**
     * Reads a file.
     *
     * @param path of the file
     * @param accept throws where the header does not suit; called before anything is allocated for the rest
     * @param arena allocates the state
     * @return what it holds
     * @throws UsageException where the file cannot be read, is no saved state, of another version, cut short or damaged
     */
    public static Contents read(Path path, Consumer<StateHeader> accept, Arena arena) {
        if (Files.isDirectory(path)) {
            throw failed(ErrorCode.FILE_UNREADABLE, path + " is a directory, not a saved state", "Name a file.", null);
        }
        try (FileChannel channel = FileChannel.open(path)) {
            StateHeader header = checkedHeader(path, channel);
            accept.accept(header);
            ByteBuffer tokens = littleEndian(header.tokens() * Integer.BYTES);
            fill(channel, tokens);
            int[] ids = new int[header.tokens()];
            tokens.asIntBuffer().get(ids);
            ByteBuffer note = ByteBuffer.allocate(header.noteBytes());
            fill(channel, note);
            MemorySegment state = arena.allocate(header.stateBytes());
            forEachPiece(state, piece -> fill(channel, piece));
            return new Contents(header, ids, StandardCharsets.UTF_8.decode(note).toString(), state);
        } catch (NoSuchFileException e) {
            throw failed(
                    ErrorCode.FILE_UNREADABLE, path + " does not exist", "Name a file that --save-state wrote.", e);
        } catch (AccessDeniedException e) {
            throw failed(ErrorCode.FILE_UNREADABLE, path + " cannot be read: permission denied", null, e);
        } catch (IOException | UncheckedIOException e) {
            throw failed(ErrorCode.FILE_UNREADABLE, path + " cannot be read: " + e.getMessage(), null, e);
        }
    }

    /** The header of a file whose size and digest are right; the channel then stands behind it. */
    private static StateHeader checkedHeader(Path path, FileChannel channel) throws IOException {
        long size = channel.size();
        ByteBuffer prefix = littleEndian(PREFIX_BYTES);
        if (size >= PREFIX_BYTES) {
            fill(channel, prefix);
        }
        byte[] magic = new byte[MAGIC.length];
        prefix.get(magic);
        if (size < PREFIX_BYTES || !MessageDigest.isEqual(magic, MAGIC)) {
            throw failed(
                    ErrorCode.FILE_FORMAT,
                    path + " is no saved state of tandem",
                    "Name a file that --save-state wrote.",
                    null);
        }
        int version = prefix.getInt();
        if (version != VERSION) {
            throw failed(
                    ErrorCode.FILE_FORMAT,
                    path + " is a saved state of format " + Integer.toUnsignedString(version)
                            + ", but this tandem reads format " + VERSION,
                    "Load it with the version of tandem that wrote it, or save a new one with --save-state.",
                    null);
        }
        int headerBytes = prefix.getInt();
        if (headerBytes < 0 || headerBytes > MAX_HEADER_BYTES || headerBytes > size - PREFIX_BYTES) {
            throw damaged(path, "its header is cut short");
        }
        ByteBuffer text = ByteBuffer.allocate(headerBytes);
        fill(channel, text);
        Optional<StateHeader> header =
                StateHeader.parse(StandardCharsets.UTF_8.decode(text).toString());
        if (header.isPresent()) {
            checkSize(path, size, headerBytes, header.get());
        }
        checkDigest(path, channel, size);
        channel.position(PREFIX_BYTES + (long) headerBytes);
        return header.orElseThrow(() -> damaged(path, "its header makes no sense"));
    }

    private static void checkSize(Path path, long size, int headerBytes, StateHeader header) {
        long rest = (long) header.tokens() * Integer.BYTES + header.noteBytes() + DIGEST_BYTES;
        long before = PREFIX_BYTES + headerBytes + rest;
        if (size - before != header.stateBytes()) {
            String expected = Long.toUnsignedString(before + header.stateBytes());
            throw damaged(path, "it has " + size + " bytes, but its header promises " + expected);
        }
    }

    private static void checkDigest(Path path, FileChannel channel, long size) throws IOException {
        MessageDigest digest = sha256();
        channel.position(0);
        ByteBuffer buffer = ByteBuffer.allocate(COPY_BYTES);
        for (long left = size - DIGEST_BYTES; left > 0; left -= buffer.limit()) {
            buffer.clear().limit((int) Math.min(left, COPY_BYTES));
            fill(channel, buffer);
            digest.update(buffer);
        }
        ByteBuffer written = ByteBuffer.allocate(DIGEST_BYTES);
        if (size >= DIGEST_BYTES) {
            fill(channel, written);
        }
        if (!MessageDigest.isEqual(digest.digest(), written.array())) {
            throw damaged(path, "its checksum is wrong");
        }
    }

    private static UsageException damaged(Path path, String why) {
        return failed(ErrorCode.FILE_CORRUPT, path + " is a damaged saved state: " + why, REMEDY, null);
    }

    private static UsageException failed(
            ErrorCode code, String message, @Nullable String remedy, @Nullable Throwable cause) {
        return new UsageException(code, message, remedy, cause);
    }

    private static ByteBuffer littleEndian(int bytes) {
        return ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Fills a buffer to its limit and turns it round. */
    private static void fill(FileChannel channel, ByteBuffer buffer) throws IOException {
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("the file shrank while it was read");
            }
        }
        buffer.flip();
    }

    /** Does something with a piece of memory. */
    private interface PieceWork {
        void with(ByteBuffer piece) throws IOException;
    }

    private static void forEachPiece(MemorySegment memory, PieceWork work) throws IOException {
        for (long at = 0; at < memory.byteSize(); at += COPY_BYTES) {
            work.with(memory.asSlice(at, Math.min(COPY_BYTES, memory.byteSize() - at))
                    .asByteBuffer());
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Writes and digests. */
    private static final class Digesting {
        private final WritableByteChannel channel;
        private final MessageDigest digest = sha256();

        Digesting(WritableByteChannel channel) {
            this.channel = channel;
        }

        void write(ByteBuffer bytes) throws IOException {
            digest.update(bytes.duplicate());
            OutputFile.writeAll(channel, bytes);
        }
    }
}
