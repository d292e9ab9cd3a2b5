package dev.tandem.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which model. */
final class ModelChoice {
    @Option(
            names = {"-m", "--model"},
            paramLabel = "MODEL",
            description = "GGUF file, or the first part of a split one; or the name of one in a model folder, or its"
                    + " beginning. Default: the model that comes with tandem.")
    @Nullable
    Path model;

    @Option(
            names = "--models",
            paramLabel = "DIR",
            description = "Find models by name in this folder too, before all others. May be given several times.")
    List<Path> folders = new ArrayList<>();

    /** Whether the model is the one that comes with the program. */
    boolean isDefault() {
        return model == null;
    }

    /**
     * The file to load.
     *
     * @throws dev.tandem.spi.InferenceException where the name is that of no model, or of several
     */
    Path file(Installation installation) {
        Path named = model;
        return named == null
                ? installation.defaultModel()
                : folders(installation).resolve(named);
    }

    /** Where models are found by name. */
    ModelFolders folders(Installation installation) {
        return ModelFolders.of(folders, installation);
    }
}
