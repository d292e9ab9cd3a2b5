package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.TensorInfo;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The parts of a split model become one view, or a refusal that says which part is wrong. */
final class SplitFilesTests {
    @TempDir
    Path folder;

    @BeforeEach
    void writeGoodModel() throws IOException {
        write(1, part(0, 3, 3).text("general.architecture", "llama").floats("a", new float[] {1}, 1));
        write(2, part(1, 3, 3).alignment(64).floats("b", new float[] {2}, 1));
        write(3, part(2, 3, 3).floats("c", new float[] {3}, 1));
    }

    @Test
    void unifiesAllParts() {
        try (GgufFile file = GgufFile.open(path(1))) {
            assertEquals("llama", file.architecture());
            assertEquals(
                    List.of(path(1), path(2), path(3)),
                    file.parts().stream().map(GgufFile.Part::path).toList());
            assertEquals(file.parts().stream().mapToLong(GgufFile.Part::bytes).sum(), file.totalBytes());
            assertEquals(
                    List.of("a", "b", "c"),
                    file.tensors().stream().map(TensorInfo::name).toList());
            float expected = 1;
            for (TensorInfo tensor : file.tensors()) {
                assertEquals((int) expected - 1, file.part(tensor));
                assertEquals(expected++, file.data(tensor).get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0));
            }
        }
    }

    @Test
    void allowsAFirstPartWithoutTensors() throws IOException {
        write(1, part(0, 3, 2));
        write(2, part(1, 3, 2).floats("b", new float[] {2}, 1));
        write(3, part(2, 3, 2).floats("c", new float[] {3}, 1));
        try (GgufFile file = GgufFile.open(path(1))) {
            assertEquals(2, file.tensors().size());
        }
    }

    @Test
    void treatsMergedAndSinglePartFilesAsOne() throws IOException {
        for (int count : new int[] {0, 1}) {
            Path path = folder.resolve("merged.gguf");
            Files.write(
                    path,
                    part(0, count, 1).floats("a", new float[] {1}, 1).build().bytes());
            try (GgufFile file = GgufFile.open(path)) {
                assertEquals(1, file.parts().size());
            }
        }
    }

    @Test
    void asksForTheFirstPart() {
        ModelFileException refusal =
                refuses(ErrorCode.FILE_FORMAT, path(2) + ": metadata key 'split.no': this is part 2 of 3", path(2));
        assertTrue(refusal.remedy().contains("model-00001-of-00003.gguf"), refusal.remedy());
    }

    @Test
    void namesAMissingPart() throws IOException {
        Files.delete(path(3));
        refuses(ErrorCode.FILE_UNREADABLE, path(3) + ": part 3 of 3 of a split model is missing", path(1));
    }

    @Test
    void refusesARenamedFirstPart() throws IOException {
        Path renamed = Files.move(path(1), folder.resolve("renamed.gguf"));
        refuses(
                ErrorCode.FILE_FORMAT,
                renamed + ": metadata key 'split.count': this is part 1 of 3, but its name does not end in"
                        + " -00001-of-00003.gguf",
                renamed);
    }

    @Test
    void refusesAPartInTheWrongPlace() throws IOException {
        write(2, part(2, 3, 3).floats("b", new float[] {2}, 1));
        refuses(ErrorCode.FILE_CORRUPT, path(2) + ": metadata key 'split.no': value is 2 where 1 is needed", path(1));
    }

    @Test
    void refusesAPartOfAnotherModel() throws IOException {
        write(3, part(2, 4, 3).floats("c", new float[] {3}, 1));
        refuses(
                ErrorCode.FILE_CORRUPT,
                path(3) + ": metadata key 'split.count': value is 4 where 3 is needed",
                path(1));
    }

    @Test
    void refusesAPartWithoutSplitKeys() throws IOException {
        write(2, new GgufBytes().floats("b", new float[] {2}, 1));
        refuses(ErrorCode.FILE_CORRUPT, path(2) + ": metadata key 'split.no': key is absent", path(1));
    }

    @Test
    void refusesAWrongNumberOfTensors() throws IOException {
        write(3, part(2, 3, 3));
        refuses(
                ErrorCode.FILE_CORRUPT,
                path(1) + ": metadata key 'split.tensors.count': value is 3 where 2 is needed",
                path(1));
    }

    @Test
    void refusesATensorInTwoParts() throws IOException {
        write(3, part(2, 3, 3).floats("a", new float[] {3}, 1));
        refuses(ErrorCode.FILE_CORRUPT, path(3) + ": tensor 'a': the name occurs in part 1 too", path(1));
    }

    @Test
    void refusesABrokenPartByItsOwnName() throws IOException {
        byte[] whole = Files.readAllBytes(path(3));
        Files.write(path(3), Arrays.copyOf(whole, 10));
        refuses(ErrorCode.FILE_CORRUPT, path(3) + ": header: tensor count is cut off", path(1));
    }

    @Test
    void refusesCountsThatNoNameCanHold() throws IOException {
        Path path = folder.resolve("model-00001-of-100000.gguf");
        GgufBytes file =
                new GgufBytes().integer("split.no", ValueType.U16, 0).integer("split.count", ValueType.U64, 100_000);
        Files.write(path, file.build().bytes());
        refuses(ErrorCode.FILE_FORMAT, path + ": metadata key 'split.count'", path);
    }

    private static GgufBytes part(int number, int count, int nTensors) {
        return new GgufBytes()
                .integer("split.no", ValueType.U16, number)
                .integer("split.count", ValueType.U16, count)
                .integer("split.tensors.count", ValueType.I32, nTensors);
    }

    private Path path(int number) {
        return folder.resolve("model-0000" + number + "-of-00003.gguf");
    }

    private void write(int number, GgufBytes part) throws IOException {
        Files.write(path(number), part.build().bytes());
    }

    private static ModelFileException refuses(ErrorCode code, String message, Path path) {
        ModelFileException refusal = assertThrows(ModelFileException.class, () -> GgufFile.open(path));
        String actual = Objects.requireNonNull(refusal.getMessage());
        assertTrue(actual.startsWith(message), actual);
        assertEquals(code, refusal.code());
        return refusal;
    }
}
