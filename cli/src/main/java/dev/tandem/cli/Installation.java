package dev.tandem.cli;

import dev.tandem.runtime.EngineOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Where this program lies, and where its user's things do.
 *
 * @param home the directory with {@code models} and {@code plugins}; empty where it cannot be found out
 * @param environment of the process
 */
record Installation(Optional<Path> home, Environment environment) {
    /** The system property by which the launcher names the directory. */
    static final String HOME_PROPERTY = "tandem.home";

    private static final String DEFAULT_MODEL = "sprig-java-31m-q4_k_m.gguf";
    private static final String DEFAULT_DRAFTER = "sprig-java-31m-dflash-q8_0.gguf";

    /** The installation of this process: as the launcher says, else the directory of the jar. */
    static Installation ofProcess() {
        String property = System.getProperty(HOME_PROPERTY, "");
        return new Installation(
                property.isEmpty() ? directoryOfJar() : Optional.of(Path.of(property)), Environment.ofProcess());
    }

    private static Optional<Path> directoryOfJar() {
        try {
            Path place = Path.of(Installation.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            return Files.isRegularFile(place) ? Optional.ofNullable(place.getParent()) : Optional.empty();
        } catch (URISyntaxException | IllegalArgumentException | NullPointerException e) {
            return Optional.empty();
        }
    }

    /** The directory of model files. */
    Optional<Path> models() {
        return home.map(directory -> directory.resolve("models"));
    }

    /**
     * The model that comes with the program.
     *
     * @throws ModelFileException where it is not there
     */
    Path defaultModel() {
        Path file = models().orElse(Path.of("models")).resolve(DEFAULT_MODEL);
        if (!Files.isRegularFile(file)) {
            throw new ModelFileException(
                    ErrorCode.FILE_UNREADABLE,
                    "the default model " + file + " is not there",
                    "Name a GGUF file with --model FILE.");
        }
        return file;
    }

    /** The drafter of the default model; empty where it is not there. */
    Optional<Path> defaultDrafter() {
        return models().map(folder -> folder.resolve(DEFAULT_DRAFTER)).filter(Files::isRegularFile);
    }

    /** Engine options for this installation. */
    EngineOptions engineOptions(List<Path> pluginDirectories) {
        return new EngineOptions(pluginDirectories, home);
    }
}
