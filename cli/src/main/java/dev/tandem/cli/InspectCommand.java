package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.speculative.DraftOffer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

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

    @Option(
            names = {"-m", "--model"},
            paramLabel = "MODEL",
            description =
                    "The model that the file drafts for, where it is a drafter. Default: the model that comes with"
                            + " tandem.")
    @Nullable
    Path target;

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
            boolean unknown =
                    inspection.understood().isEmpty() && !Architectures.ids().contains(opened.architecture());
            if (json) {
                ObjectNode report = new InspectJson(inspection).render(tensors, graph);
                if (unknown) {
                    drafting(opened, (model, offers) -> report.set("drafter", Offers.object(model, offers)));
                }
                console.out(Json.print(report));
            } else {
                showText(console, inspection);
                int columns = console.terminal().outColumns();
                boolean drafts = unknown
                        && drafting(
                                opened,
                                (model, offers) -> console.out("\nthis file is a drafter, not a model to run alone\n"
                                        + Offers.text(model, offers, columns)));
                if (!drafts) {
                    console.out(new InspectText(inspection, columns).verdict());
                }
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
    }

    /** Shows which strategies draft with a file for a model; false where there is no such model, or none does. */
    private boolean drafting(GgufFile drafter, BiConsumer<GgufFile, List<DraftOffer>> show) {
        Installation installation = context.installation();
        ModelChoice choice = new ModelChoice();
        choice.model = target;
        try (GgufFile model = GgufFile.open(choice.file(installation));
                Engine engine = Engine.open(installation.engineOptions(List.of()))) {
            List<DraftOffer> offers = Offers.using(engine, model, Architectures.read(model), drafter);
            if (!offers.isEmpty()) {
                show.accept(model, offers);
            }
            return !offers.isEmpty();
        } catch (ModelFileException e) {
            if (target != null) {
                throw e;
            }
            // Without the model that comes along nothing can be said of drafting.
            return false;
        }
    }
}
