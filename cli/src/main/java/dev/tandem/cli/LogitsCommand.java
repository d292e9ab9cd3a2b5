package dev.tandem.cli;

import dev.tandem.runtime.Session;
import dev.tandem.runtime.sampling.LogProbabilities;
import dev.tandem.runtime.tokenizer.StreamDecoder;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code tandem logits}: the likeliest next tokens. */
@Command(
        name = "logits",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "List the likeliest next tokens after a prompt.",
        description = "%nLog-probabilities are natural logarithms at temperature 1, before any sampling option.%n")
final class LogitsCommand implements Callable<Integer> {
    private final Context context;

    @Mixin
    PromptArguments prompt = new PromptArguments();

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Option(
            names = {"-k", "--top"},
            paramLabel = "N",
            description = "How many tokens. Default: ${DEFAULT-VALUE}.")
    int top = 10;

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    CommonOptions help = new CommonOptions();

    LogitsCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        if (top < 1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--top " + top + " is not 1 or more");
        }
        Console console = context.console();
        String text = prompt.read(console);
        try (LoadedModel loaded = LoadedModel.open(context, model);
                Session session = loaded.model().newSession()) {
            Tokenizer tokenizer = loaded.model().tokenizer();
            int[] ids = prompt.encode(text, tokenizer);
            float[] logits;
            try (Progress progress = Progress.start(console, "reading the prompt", 0)) {
                logits = session.logits(ids);
                progress.at(ids.length);
            }
            context.interruption().check();
            List<LogProbabilities.Entry> entries = LogProbabilities.top(logits, 0, tokenizer.vocabularySize(), top);
            console.out(
                    json
                            ? Json.print(object(loaded, ids, logits, entries))
                            : table(tokenizer, entries, console.terminal().outColumns()));
        }
        return ExitCode.OK.number();
    }

    private static String table(Tokenizer tokenizer, List<LogProbabilities.Entry> entries, int columns) {
        Table table = new Table(0, 1, 2).row("id", "log-prob", "prob", "token");
        for (LogProbabilities.Entry entry : entries) {
            table.row(
                    Integer.toString(entry.id()),
                    String.format(Locale.ROOT, "%.4f", entry.logProbability()),
                    String.format(Locale.ROOT, "%.2f %%", 100 * Math.exp(entry.logProbability())),
                    "'" + Text.oneLine(decoded(tokenizer, entry.id())) + "'");
        }
        return table.render(0, columns);
    }

    private static ObjectNode object(
            LoadedModel loaded, int[] ids, float[] logits, List<LogProbabilities.Entry> entries) {
        ObjectNode report = Json.object();
        report.put("model", loaded.model().file().id().file());
        report.set("prompt_ids", Json.numbers(ids));
        ArrayNode top = report.putArray("top");
        for (LogProbabilities.Entry entry : entries) {
            ObjectNode token = top.addObject();
            token.put("id", entry.id());
            token.put("text", decoded(loaded.model().tokenizer(), entry.id()));
            putFinite(token, "logprob", entry.logProbability());
            putFinite(token, "logit", logits[entry.id()]);
        }
        RunReport.putPlace(report, loaded);
        return report;
    }

    static String decoded(Tokenizer tokenizer, int id) {
        // As it goes on from the prompt.
        StreamDecoder decoder = tokenizer.stream(true);
        return decoder.accept(id) + decoder.flush();
    }

    /** JSON has no infinity: an impossible token's number is null. */
    static void putFinite(ObjectNode target, String name, float value) {
        if (Float.isFinite(value)) {
            target.put(name, value);
        } else {
            target.putNull(name);
        }
    }
}
