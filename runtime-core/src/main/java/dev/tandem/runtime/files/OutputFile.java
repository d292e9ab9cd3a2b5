package dev.tandem.runtime.files;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A result file. What is written goes to a temporary file beside it, is forced to the disk and then takes the name, so that a
 * failure leaves an earlier result as it was. A device or a pipe is written to directly, since nothing may replace it.
 */
public final class OutputFile implements AutoCloseable {
    private final Path target;
    private final Optional<Path> temporary;
    private final FileChannel channel;

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        /**
         * Writes all of it.
         *
         * @param channel at the file's beginning
         * @throws IOException where that fails
         */
        void writeTo(WritableByteChannel channel) throws IOException;
    }

    private OutputFile(Path target, Optional<Path> temporary, FileChannel channel) {
        this.target = target;
        this.temporary = temporary;
        this.channel = channel;
    }

    /**
     * Makes sure that the file can be written, before any work is done for it.
     *
     * @param named the file
     * @return the open file, to be closed whether or not it is written
     * @throws UsageException where it cannot
     */
    public static OutputFile prepare(Path named) {
        if (Files.isDirectory(named)) {
            throw failed(named, "is a directory", null);
        }
        try {
            // A link stays a link: what it points to is replaced.
            Path target = Files.exists(named) ? named.toRealPath() : named.toAbsolutePath();
            boolean special = Files.exists(target) && !Files.isRegularFile(target);
            if (special) {
                return new OutputFile(target, Optional.empty(), FileChannel.open(target, StandardOpenOption.WRITE));
            }
            if (Files.exists(target) && !Files.isWritable(target)) {
                throw failed(named, "permission denied", null);
            }
            Path temporary = target.resolveSibling(
                    target.getFileName() + "." + ProcessHandle.current().pid() + ".tmp");
            FileChannel channel = FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return new OutputFile(target, Optional.of(temporary), channel);
        } catch (IOException e) {
            throw failed(named, reason(named, e), e);
        }
    }

    /**
     * Writes a text in UTF-8 and gives the file its name.
     *
     * @param text all of it
     * @throws UsageException where that fails; an earlier file of that name is then unchanged
     */
    public void write(String text) {
        write(sink -> writeAll(sink, ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8))));
    }

    /**
     * Writes the whole content and gives the file its name.
     *
     * @param content called once
     * @throws UsageException where that fails; an earlier file of that name is then unchanged
     */
    public void write(Content content) {
        try {
            content.writeTo(channel);
            if (temporary.isPresent()) {
                channel.force(true);
                channel.close();
                replace(temporary.get());
            }
        } catch (IOException e) {
            throw failed(target, reason(target, e), e);
        }
    }

    /**
     * Writes everything that is left in a buffer.
     *
     * @param channel receives it
     * @param bytes empty afterwards
     * @throws IOException where that fails
     */
    public static void writeAll(WritableByteChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private void replace(Path written) throws IOException {
        if (Files.exists(target) && Files.getFileStore(target).supportsFileAttributeView("posix")) {
            Files.setPosixFilePermissions(written, Files.getPosixFilePermissions(target));
        }
        try {
            Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(written, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static String reason(Path file, IOException failure) {
        if (failure instanceof NoSuchFileException) {
            // Folders of the kernel's own say so of every new name, although they exist.
            return folder(file).filter(Files::isDirectory).isPresent()
                    ? "its folder takes no new files"
                    : "its folder does not exist";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        // The message of a file system exception repeats the path, which may be that of the temporary file.
        String why = failure instanceof FileSystemException specific ? specific.getReason() : failure.getMessage();
        return why == null ? failure.getClass().getSimpleName() : why;
    }

    private static Optional<Path> folder(Path file) {
        return Optional.ofNullable(file.toAbsolutePath().getParent());
    }

    private static UsageException failed(Path file, String reason, @Nullable Throwable cause) {
        return new UsageException(ErrorCode.OUTPUT_FAILED, "cannot write " + file + ": " + reason, null, cause);
    }

    /** Closes the file and removes what was not finished. */
    @Override
    public void close() {
        try {
            channel.close();
            if (temporary.isPresent()) {
                Files.deleteIfExists(temporary.get());
            }
        } catch (IOException ignored) {
            // What was to be written is written, or its failure reported.
            return;
        }
    }
}
