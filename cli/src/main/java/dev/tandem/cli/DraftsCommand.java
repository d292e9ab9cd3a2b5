package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.speculative.DraftChoice;
import dev.tandem.runtime.speculative.DraftOffer;
import dev.tandem.runtime.speculative.DraftQueries;
import dev.tandem.runtime.speculative.DraftSelector;
import dev.tandem.spi.draft.DraftQuery;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code tandem drafts}: which strategies fit a model. */
@Command(
        name = "drafts",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "List draft strategies and whether they fit a model.",
        description = "%nReads the headers of the files only.%n")
final class DraftsCommand implements Callable<Integer> {
    private static final int INDENT = 4;

    private final Context context;

    @Mixin
    ModelChoice model = new ModelChoice();

    @Option(
            names = "--draft-model",
            paramLabel = "MODEL",
            description =
                    "GGUF file of a drafter, or its name in a model folder. Default: the one that comes with the default model.")
    List<Path> files = new ArrayList<>();

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    PluginArguments plugins = new PluginArguments();

    @Mixin
    CommonOptions help = new CommonOptions();

    DraftsCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Installation installation = context.installation();
        DraftArguments arguments = new DraftArguments();
        arguments.files = files;
        try (GgufFile target = GgufFile.open(model.file(installation));
                Engine engine = Engine.open(installation.engineOptions(plugins.directories))) {
            LanguageModel language = Architectures.read(target);
            List<GgufFile> drafters = arguments.open(installation, model);
            try {
                int contextRows = language.shape().contextLength();
                int stepRows = Math.min(ModelOptions.DEFAULT_STEP_ROWS, contextRows);
                DraftQuery query = DraftQueries.of(target, language, List.copyOf(drafters), contextRows, stepRows, -1);
                List<DraftOffer> offers = new DraftSelector(engine.plugins().drafts(), Drafting.PLANNING).offers(query);
                context.console().out(json ? Json.print(object(target, offers)) : text(target, offers));
            } finally {
                drafters.forEach(GgufFile::close);
            }
        }
        return ExitCode.OK.number();
    }

    private String text(GgufFile target, List<DraftOffer> offers) {
        int columns = context.console().terminal().outColumns();
        StringBuilder text = new StringBuilder();
        text.append(Text.indented("For " + Text.oneLine(target.id().file()) + ":", 0, columns));
        if (offers.isEmpty()) {
            text.append(
                    Text.indented("no strategy is installed; put the jar of one into the plugins folder", 2, columns));
        }
        for (DraftOffer offer : offers) {
            switch (offer) {
                case DraftChoice fits -> {
                    text.append(
                            Text.indented(fits.id() + ": fits. " + fits.plan().strategy(), 2, columns));
                    fits.plan()
                            .notes()
                            .forEach(note -> text.append(Text.indented(Text.oneLine(note), INDENT, columns)));
                    text.append(Text.indented(cost(fits), INDENT, columns));
                }
                case DraftOffer.Unfit unfit -> {
                    String verdict = unfit.faulty() ? ": faulty. " : ": does not fit. ";
                    text.append(Text.indented(unfit.id() + verdict + Text.oneLine(unfit.reason()), 2, columns));
                    text.append(Text.indented(Text.oneLine(unfit.remedy()), INDENT, columns));
                }
            }
        }
        return text.toString();
    }

    private static String cost(DraftChoice fits) {
        return "up to " + fits.plan().maxDepth() + " tokens ahead, weights "
                + Text.bytes(fits.plan().cost().weightBytes()) + ", "
                + Text.bytes(fits.plan().cost().stateBytesPerToken()) + " per token";
    }

    private static ObjectNode object(GgufFile target, List<DraftOffer> offers) {
        ObjectNode report = Json.object();
        report.put("model", target.id().file());
        ArrayNode strategies = report.putArray("strategies");
        for (DraftOffer offer : offers) {
            ObjectNode node = strategies.addObject();
            node.put("id", offer.id());
            node.put("fits", offer instanceof DraftChoice);
            switch (offer) {
                case DraftChoice fits -> {
                    node.put("strategy", fits.plan().strategy());
                    node.put("shape", fits.plan().shape().name().toLowerCase(Locale.ROOT));
                    node.put("max_depth", fits.plan().maxDepth());
                    node.put("weight_bytes", fits.plan().cost().weightBytes());
                    node.put("state_bytes_per_token", fits.plan().cost().stateBytesPerToken());
                    node.set("notes", Json.texts(fits.plan().notes()));
                }
                case DraftOffer.Unfit unfit -> {
                    node.put("faulty", unfit.faulty());
                    node.put("reason", unfit.reason());
                    node.put("remedy", unfit.remedy());
                }
            }
        }
        return report;
    }
}
