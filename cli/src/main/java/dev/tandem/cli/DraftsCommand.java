package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.speculative.DraftOffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tandem drafts}: which strategies fit a model. */
@Command(
        name = "drafts",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "List draft strategies and whether they fit a model.",
        description = "%nReads the headers of the files only.%n")
final class DraftsCommand implements Callable<Integer> {
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
                List<DraftOffer> offers = Offers.of(engine, target, language, List.copyOf(drafters));
                int columns = context.console().terminal().outColumns();
                context.console()
                        .out(json ? Json.print(Offers.object(target, offers)) : Offers.text(target, offers, columns));
            } finally {
                drafters.forEach(GgufFile::close);
            }
        }
        return ExitCode.OK.number();
    }
}
