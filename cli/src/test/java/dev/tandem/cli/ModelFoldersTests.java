package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.InferenceException;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models are found by name in folders. */
class ModelFoldersTests {
    @TempDir
    Path first;

    @TempDir
    Path second;

    private static void touch(Path folder, String... names) throws IOException {
        for (String name : names) {
            Files.createFile(folder.resolve(name + ".gguf"));
        }
    }

    private ModelFolders folders() {
        return new ModelFolders(List.of(first, second));
    }

    @Test
    void namesAreStemsOfFilesAndOfFirstPartsAndTheFirstFolderWins() throws IOException {
        touch(first, "alpha-q4", "big-00001-of-00002", "big-00002-of-00002");
        touch(second, "alpha-q4", "beta");
        Files.createFile(second.resolve("notes.txt"));

        assertEquals(Set.of("alpha-q4", "big", "beta"), folders().models().keySet());
        assertEquals(first.resolve("alpha-q4.gguf"), folders().resolve(Path.of("alpha-q4")));
        assertEquals(first.resolve("alpha-q4.gguf"), folders().resolve(Path.of("ALPHA")));
        assertEquals(first.resolve("big-00001-of-00002.gguf"), folders().resolve(Path.of("big")));
        assertEquals(second.resolve("beta.gguf"), folders().resolve(Path.of("beta.gguf")));
    }

    @Test
    void aWholeNameWinsOverABeginning() throws IOException {
        touch(first, "gem", "gem-large");
        assertEquals(first.resolve("gem.gguf"), folders().resolve(Path.of("gem")));
    }

    @Test
    void aBeginningOfSeveralNamesListsThem() throws IOException {
        touch(first, "gem-small", "gem-large");
        UsageException e = assertThrows(UsageException.class, () -> folders().resolve(Path.of("gem")));
        assertEquals("'gem' may mean gem-large, gem-small", e.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"gme-small, gem-small", "gen, gem-small", "gem-smal1, gem-small"})
    void anUnknownNameIsGuessed(String typed, String meant) throws IOException {
        touch(first, "gem-small");
        InferenceException e =
                assertThrows(ModelFileException.class, () -> folders().resolve(Path.of(typed)));
        assertTrue(String.valueOf(e.getMessage()).endsWith("; did you mean '" + meant + "'?"), e.getMessage());
        assertTrue(e.remedy().contains("one of: gem-small"), e.remedy());
    }

    @Test
    void aPathIsTakenAsItIs() throws IOException {
        touch(first, "gem");
        for (String path : List.of("/nowhere/gem", "nowhere/gem", "./gem")) {
            assertEquals(Path.of(path), folders().resolve(Path.of(path)));
        }
    }

    @Test
    void theModelThatComesAlongIsFoundByItsFirstWordAlthoughItsDrafterIsBeside() {
        ModelFolders own = ModelFolders.of(List.of(), new Installation(Optional.of(CliRun.root()), CliRun.NOTHING));
        assertEquals(
                "sprig-java-31m-q4_k_m.gguf",
                String.valueOf(own.resolve(Path.of("sprig")).getFileName()));
        InferenceException e = assertThrows(ModelFileException.class, () -> own.resolve(Path.of("nope")));
        assertTrue(e.remedy().contains("one of: sprig-java-31m-q4_k_m."), e.remedy());
    }

    @Test
    void optionAndVariableNameFolders() throws IOException {
        Files.copy(Path.of(CliRun.tinyModel()), second.resolve("little-one.gguf"));
        Environment environment = new Environment(Map.of("TANDEM_MODELS", "/nowhere:" + second), "Linux", first);
        CliRun.Result byVariable = new CliRun().in(environment).run("tokenize", "-m", "little", "--count", "hello");
        CliRun.Result byOption =
                CliRun.tandem("tokenize", "-m", "little", "--models", second.toString(), "--count", "hello");
        CliRun.Result inspected = new CliRun().in(environment).run("inspect", "little");

        assertEquals(0, byVariable.exitCode(), byVariable.err());
        assertEquals(byVariable.out(), byOption.out());
        assertEquals(0, inspected.exitCode(), inspected.err());
        assertTrue(new CliRun().in(environment).run("doctor").out().contains("little-one.gguf"));
        assertTrue(CliRun.tandem("run", "-m", "x", "--models", "/nowhere", "x")
                .err()
                .contains("--models /nowhere"));
    }
}
