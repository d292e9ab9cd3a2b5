package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.TensorInfo;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Opening, viewing and closing one file. */
final class GgufFileTests {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void readsBothVersions(int version) throws IOException {
        byte[] bytes = small().version(version).build().bytes();
        try (GgufFile file = GgufFile.open(write("model.gguf", bytes))) {
            TensorInfo matrix = file.tensor("matrix").orElseThrow();
            assertAll(
                    () -> assertEquals(version, file.version()),
                    () -> assertEquals("llama", file.architecture()),
                    () -> assertEquals(32, file.alignment()),
                    () -> assertEquals(bytes.length, file.totalBytes()),
                    () -> assertEquals(
                            List.of(new GgufFile.Part(folder.resolve("model.gguf"), bytes.length)), file.parts()),
                    () -> assertEquals(new TensorInfo("matrix", DType.F32, List.of(2L, 3L), 24), matrix),
                    () -> assertEquals(List.of("matrix", "bytes"), names(file)),
                    () -> assertEquals(0, file.part(matrix)),
                    () -> assertEquals(0, file.offset(matrix) % 32),
                    () -> assertTrue(file.tensor("absent").isEmpty()));
        }
    }

    @Test
    void givesReadOnlyDataOfExactlyTheTensor() throws IOException {
        try (GgufFile file = GgufFile.open(write("model.gguf", small().build().bytes()))) {
            MemorySegment data = file.data(file.tensor("matrix").orElseThrow());
            assertEquals(24, data.byteSize());
            assertEquals(6, data.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, 5));
            assertTrue(data.isReadOnly());
            TensorInfo foreign = new TensorInfo("matrix", DType.F32, List.of(3L, 2L), 24);
            assertThrows(IllegalArgumentException.class, () -> file.data(foreign));
        }
    }

    @Test
    void keepsTwoOpenFilesApart() throws IOException {
        Path first = write(
                "first.gguf",
                new GgufBytes().floats("w", new float[] {1}, 1).build().bytes());
        Path second = write(
                "second.gguf",
                new GgufBytes().floats("w", new float[] {2}, 1).build().bytes());
        try (GgufFile a = GgufFile.open(first);
                GgufFile b = GgufFile.open(second)) {
            assertNotEquals(a.id(), b.id());
            assertEquals(1, only(a).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
            assertEquals(2, only(b).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
        }
    }

    @Test
    void closesOnceAndForAll() throws IOException {
        GgufFile file = GgufFile.open(write("model.gguf", small().build().bytes()));
        MemorySegment data = file.data(file.tensors().iterator().next());
        file.close();
        file.close();
        assertThrows(IllegalStateException.class, () -> data.get(ValueLayout.JAVA_BYTE, 0));
        assertThrows(
                IllegalStateException.class,
                () -> file.data(file.tensors().iterator().next()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8, 32, 4096})
    void honoursAlignment(int alignment) throws IOException {
        byte[] bytes = small().alignment(alignment).build().bytes();
        try (GgufFile file = GgufFile.open(write("model.gguf", bytes))) {
            assertEquals(alignment, file.alignment());
            MemorySegment data = file.data(file.tensor("bytes").orElseThrow());
            assertEquals(List.of((byte) 7, (byte) 8, (byte) 9), List.of(at(data, 0), at(data, 1), at(data, 2)));
        }
    }

    @Test
    void readsTensorsBeyondTwoGibibytes() throws IOException {
        long bigBytes = (1L << 31) + 64;
        GgufBytes.Built header = new GgufBytes()
                .absent("big", DType.I8, bigBytes, bigBytes)
                .absent("last", DType.I64, 8, 1)
                .header();
        Path path = write("big.gguf", header.bytes());
        long lastOffset = header.dataStart() + bigBytes;
        try (RandomAccessFile sparse = new RandomAccessFile(path.toFile(), "rw")) {
            sparse.setLength(lastOffset + Long.BYTES);
            sparse.seek(lastOffset);
            sparse.writeLong(Long.reverseBytes(0x1234_5678_9ABC_DEF0L));
        }
        try (GgufFile file = GgufFile.open(path)) {
            TensorInfo last = file.tensor("last").orElseThrow();
            assertEquals(bigBytes, file.data(file.tensor("big").orElseThrow()).byteSize());
            assertEquals(lastOffset, file.offset(last));
            assertEquals(0x1234_5678_9ABC_DEF0L, file.data(last).get(GgufCursor.INT64, 0));
        }
    }

    @Test
    void opensAHeaderWithoutDataForInspectionOnly() throws IOException {
        try (GgufFile file = GgufFile.open(write("header.gguf", small().header().bytes()))) {
            assertFalse(file.hasData());
            TensorInfo matrix = file.tensor("matrix").orElseThrow();
            refuses(ErrorCode.FILE_CORRUPT, "header.gguf: tensor 'matrix': the file ends", () -> file.data(matrix));
        }
    }

    @Test
    void refusesEveryPrefixOfAFile() {
        GgufBytes.Built whole = small().build();
        int dataEnd = whole.bytes().length - 29;
        for (int length = 0; length < whole.bytes().length; length++) {
            GgufBytes.Built prefix = new GgufBytes.Built(Arrays.copyOf(whole.bytes(), length), whole.fields(), 0);
            if (length == whole.dataStart()) {
                assertFalse(prefix.parse().hasData());
            } else if (length == dataEnd) {
                assertTrue(prefix.parse().hasData(), "a file may end with its last tensor");
            } else {
                assertThrows(ModelFileException.class, prefix::parse, "prefix of " + length);
            }
        }
    }

    @Test
    void refusesWhatIsNoModelFile() throws IOException {
        refusesToOpen(ErrorCode.FILE_UNREADABLE, "absent.gguf: no such file", folder.resolve("absent.gguf"));
        refusesToOpen(ErrorCode.FILE_UNREADABLE, ": this is a directory", folder);
        refusesToOpen(ErrorCode.FILE_FORMAT, "empty.gguf: header: the file is empty", write("empty.gguf", new byte[0]));
        refusesToOpen(ErrorCode.FILE_FORMAT, "a.txt: header: magic is 'Once'", text("a.txt", "Once upon a time"));
        refusesToOpen(ErrorCode.FILE_FORMAT, "b.txt: header: magic is 'A'", text("b.txt", "A"));
        refusesToOpen(ErrorCode.FILE_FORMAT, "c.txt: header: magic is 'a?[3'", text("c.txt", "a\u001b[31m"));
        refusesToOpen(ErrorCode.FILE_CORRUPT, "d.gguf: header: version is cut off", text("d.gguf", "GGUF\3"));
        ModelFileException pointer = refusesToOpen(
                ErrorCode.FILE_FORMAT,
                "e.gguf: header: this is a Git LFS pointer",
                text("e.gguf", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"));
        assertTrue(pointer.remedy().contains("git lfs pull"));
    }

    @Test
    void refusesAFileWithoutPermission() throws IOException {
        Path path = write("secret.gguf", small().build().bytes());
        assumeFalse(!path.toFile().setReadable(false) || Files.isReadable(path), "this user may read every file");
        refusesToOpen(ErrorCode.FILE_UNREADABLE, "secret.gguf: no permission", path);
    }

    @Test
    void refusesBigEndianFilesAndSaysSo() throws IOException {
        for (int version : new int[] {2, 3}) {
            byte[] bytes =
                    small().version(Integer.reverseBytes(version)).build().bytes();
            refusesToOpen(
                    ErrorCode.FILE_FORMAT,
                    "be.gguf: header: version has its bytes swapped, so this is a big-endian",
                    write("be.gguf", bytes));
        }
    }

    @Test
    void explainsAFileThatShrinksWhileOpen() throws IOException {
        Path path = write("model.gguf", small().build().bytes());
        try (GgufFile file = GgufFile.open(path)) {
            try (RandomAccessFile other = new RandomAccessFile(path.toFile(), "rw")) {
                other.setLength(0);
            } catch (IOException e) {
                assumeFalse(true, "this system protects mapped files: " + e.getMessage());
            }
            MemorySegment data = file.data(file.tensor("bytes").orElseThrow());
            refuses(ErrorCode.FILE_CHANGED, "model.gguf: the file shrank", file::architecture);
            refuses(
                    ErrorCode.FILE_CHANGED,
                    "model.gguf: the file shrank",
                    () -> MappedReads.checked(file.id().file(), () -> data.get(ValueLayout.JAVA_BYTE, 0)));
        }
    }

    @Test
    void leavesOtherInternalErrorsAlone() {
        InternalError other = new InternalError("something else");
        InternalError seen = assertThrows(
                InternalError.class,
                () -> MappedReads.checked("a.gguf", () -> {
                    throw other;
                }));
        assertEquals(other, seen);
        assertFalse(MappedReads.isFault(new IllegalStateException(other)));
    }

    private static GgufBytes small() {
        return new GgufBytes()
                .text("general.architecture", "llama")
                .floats("matrix", new float[] {1, 2, 3, 4, 5, 6}, 3, 2)
                .tensor("bytes", DType.I8, new byte[] {7, 8, 9}, 3);
    }

    private static List<String> names(GgufFile file) {
        return file.tensors().stream().map(TensorInfo::name).toList();
    }

    private static MemorySegment only(GgufFile file) {
        return file.data(file.tensor("w").orElseThrow());
    }

    private static byte at(MemorySegment segment, long offset) {
        return segment.get(ValueLayout.JAVA_BYTE, offset);
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(folder.resolve(name), bytes);
    }

    private Path text(String name, String text) throws IOException {
        return write(name, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static ModelFileException refusesToOpen(ErrorCode code, String message, Path path) {
        return refuses(code, message, () -> GgufFile.open(path));
    }

    private static ModelFileException refuses(ErrorCode code, String message, Executable work) {
        ModelFileException refusal = assertThrows(ModelFileException.class, work);
        assertEquals(code, refusal.code());
        assertTrue(Objects.requireNonNull(refusal.getMessage()).contains(message), refusal.getMessage());
        return refusal;
    }
}
