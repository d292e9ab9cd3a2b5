package dev.tandem.cli;

import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ObjectNode;

/** {@code tandem perplexity}: how well a model predicts a text. */
@Command(
        name = "perplexity",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Measure how well a model predicts a text.",
        description = {
            "%nThe loss is the mean of -ln p over all tokens but the first; perplexity is its exponential. A text longer"
                    + " than the context is read in windows that overlap by half.%n"
        })
final class PerplexityCommand implements Callable<Integer> {
    private final Context context;

    @Option(
            names = {"-f", "--file"},
            required = true,
            paramLabel = "FILE",
            description = "The text; - is standard input. Special tokens in it are plain text.")
    Path file = Path.of("");

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    CommonOptions help = new CommonOptions();

    PerplexityCommand(Context context) {
        this.context = context;
    }

    /** A finished measurement; losses are in nats. */
    private record Measurement(int tokens, double meanLoss, long nanos) {
        double perplexity() {
            return Math.exp(meanLoss);
        }

        double perSecond() {
            return nanos <= 0 ? 0 : tokens * 1e9 / nanos;
        }
    }

    @Override
    public Integer call() {
        Console console = context.console();
        String text = TextInput.read(file, console);
        try (LoadedModel loaded = LoadedModel.open(context, model)) {
            int[] tokens = loaded.model().tokenizer().encode(text, new EncodeOptions(false, true));
            if (tokens.length < 2) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        file + " has " + Text.plural(tokens.length, "token") + ", and a loss needs 2",
                        "Give a longer text.");
            }
            Measurement result = measure(loaded, tokens);
            console.out(json ? Json.print(object(loaded, result)) : lines(loaded, result));
        }
        return ExitCode.OK.number();
    }

    private Measurement measure(LoadedModel loaded, int[] tokens) {
        long start = System.nanoTime();
        float[] losses;
        try (Progress progress = Progress.start(context.console(), "scoring", tokens.length)) {
            losses = loaded.model().scorer().losses(tokens, (done, total) -> {
                context.interruption().check();
                progress.at(done);
            });
        }
        long nanos = System.nanoTime() - start;
        double sum = 0;
        for (float loss : losses) {
            sum += loss;
        }
        return new Measurement(losses.length, sum / losses.length, nanos);
    }

    private static String lines(LoadedModel loaded, Measurement result) {
        return String.format(Locale.ROOT, "loss %.4f, perplexity %.4f", result.meanLoss(), result.perplexity()) + "\n"
                + Text.plural(result.tokens(), "token") + " in " + Text.seconds(result.nanos()) + " ("
                + Text.rate(result.perSecond()) + "), " + loaded.description() + "\n";
    }

    private static ObjectNode object(LoadedModel loaded, Measurement result) {
        ObjectNode report = Json.object();
        report.put("model", loaded.model().file().id().file());
        report.put("tokens", result.tokens());
        report.put("loss", result.meanLoss());
        report.put("perplexity", result.perplexity());
        report.put("ms", RunReport.millis(result.nanos()));
        report.put("tokens_per_second", Math.round(result.perSecond() * 100) / 100.0);
        RunReport.putPlace(report, loaded);
        return report;
    }
}
