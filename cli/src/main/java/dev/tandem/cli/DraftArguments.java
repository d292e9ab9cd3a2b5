package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftPlan.Shape;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether and how tokens are guessed ahead. */
final class DraftArguments {
    /** Stands above these options on a help page. */
    static final String SECTION = "Guessing ahead:";

    /** Names that are no strategies. */
    static final String NONE = "none";

    static final String AUTO = "auto";

    @Option(
            names = "--draft",
            paramLabel = "NAME",
            description = "none, auto, or a strategy that 'tandem drafts' lists. Default: none, or auto with"
                    + " --draft-model.")
    @Nullable
    String strategy;

    @Option(
            names = "--draft-model",
            paramLabel = "MODEL",
            description =
                    "GGUF file of a drafter, or its name in a model folder. Default: the one that comes with the default model.")
    List<Path> files = new ArrayList<>();

    @Option(
            names = "--draft-max",
            paramLabel = "N",
            description = "Longest path of guesses. Default: what the strategy allows, at most ${DEFAULT-VALUE}.")
    int maxDepth = DraftOptions.defaults().maxDepth();

    @Option(
            names = "--draft-budget",
            paramLabel = "N",
            description = "Most guesses that one pass of the model checks. Default: ${DEFAULT-VALUE}.")
    int budget = DraftOptions.defaults().maxNodes();

    @Option(
            names = "--draft-shape",
            paramLabel = "NAME",
            description = "chain, tree, or auto: a tree where the strategy has one. Default: auto.")
    ShapeName shape = ShapeName.AUTO;

    @Option(
            names = "--draft-depth",
            paramLabel = "NAME",
            description = "auto checks as many guesses as pay, perhaps none; fixed checks as many as it may. Default:"
                    + " auto.")
    DepthName depth = DepthName.AUTO;

    @Option(names = "--draft-stats", description = "Tell on standard error what became of the guesses.")
    boolean statistics;

    /** Values of {@code --draft-shape}. */
    enum ShapeName {
        AUTO,
        CHAIN,
        TREE
    }

    /** Values of {@code --draft-depth}. */
    enum DepthName {
        AUTO,
        FIXED
    }

    /** The strategy's name, {@value #NONE} or {@value #AUTO}. */
    String strategy() {
        String named = strategy;
        return named != null ? named : files.isEmpty() ? NONE : AUTO;
    }

    /**
     * The bounds.
     *
     * @throws UsageException where a number is out of its range
     */
    DraftOptions toOptions() {
        requirePositive("--draft-max", maxDepth);
        requirePositive("--draft-budget", budget);
        if (strategy().equals(NONE) && statistics) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--draft-stats without guessing", "Add --draft auto, or leave it out.");
        }
        return new DraftOptions(
                maxDepth,
                budget,
                shape == ShapeName.CHAIN ? Shape.CHAIN : Shape.TREE,
                depth == DepthName.AUTO,
                DraftOptions.defaults().deadline());
    }

    private static void requirePositive(String option, int value) {
        if (value < 1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, option + " " + value + " is not 1 or more");
        }
    }

    /**
     * Opens the drafters' files.
     *
     * @param model that they draft for
     */
    List<GgufFile> open(Installation installation, ModelChoice model) {
        ModelFolders folders = model.folders(installation);
        List<Path> named = new ArrayList<>();
        files.forEach(file -> named.add(folders.resolve(file)));
        if (named.isEmpty() && model.isDefault()) {
            installation.defaultDrafter().ifPresent(named::add);
        }
        List<GgufFile> opened = new ArrayList<>();
        try {
            for (Path file : named) {
                opened.add(GgufFile.open(file));
            }
            return opened;
        } catch (RuntimeException | Error e) {
            opened.forEach(GgufFile::close);
            throw e;
        }
    }
}
