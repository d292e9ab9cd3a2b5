package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tandem inspect}: shows what a model file holds. */
@Command(
        name = "inspect",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Show what a model file holds.",
        description = {
            "%nReads the header only: no weights are loaded and no device is touched. A model that tandem cannot run is"
                    + " shown as well, with the reason.%n"
        })
final class InspectCommand implements Callable<Integer> {
    private final Context context;

    @Parameters(
            paramLabel = "FILE",
            description = "A GGUF file, or the first part of a split one; or the name of one in a model folder.")
    Path file = Path.of("");

    @Option(names = "--tensors", description = "List every tensor.")
    boolean tensors;

    @Option(names = "--graph", description = "Print the forward graph.")
    boolean graph;

    @Option(
            names = "--ctx",
            paramLabel = "TOKENS",
            description = "Context for the memory estimate. Default: what the model was trained for (0).")
    int contextRows;

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    CommonOptions help = new CommonOptions();

    InspectCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Console console = context.console();
        if (contextRows < 0) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--ctx " + contextRows + " is not 0 or more");
        }
        try (GgufFile opened =
                GgufFile.open(ModelFolders.of(List.of(), context.installation()).resolve(file))) {
            Inspection inspection = Inspection.of(opened, contextRows);
            if (json) {
                console.out(Json.print(new InspectJson(inspection).render(tensors, graph)));
            } else {
                showText(console, inspection);
            }
        }
        return ExitCode.OK.number();
    }

    private void showText(Console console, Inspection inspection) {
        InspectText text = new InspectText(inspection, console.terminal().outColumns());
        console.out(text.overview());
        if (tensors) {
            console.out(text.tensors());
        }
        if (graph) {
            inspection.understood().ifPresent(known -> console.out("\n" + known.graph()));
        }
        console.out(text.verdict());
    }
}
