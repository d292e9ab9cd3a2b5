package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code tandem bench}: how fast a model runs, and what guessing ahead gains. */
@Command(
        name = "bench",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Measure speed, plain and with guesses ahead.",
        description = {
            "%nEach measurement runs once untimed and then several times; the median, the least and the most are"
                    + " shown. With --draft, every prompt is generated plainly and with guesses by turns, and the texts"
                    + " are compared.%n"
        })
final class BenchCommand implements Callable<Integer> {
    /** Numbers of guesses that --sweep tries. */
    private static final List<Integer> SWEEP = List.of(1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64);

    private final Context context;

    @Option(
            names = {"-p", "--prompt-tokens"},
            paramLabel = "N",
            description = "Length of a made-up prompt, where no --prompts are given. Default: ${DEFAULT-VALUE}.")
    int promptTokens = 128;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description = "Tokens to generate. Default: ${DEFAULT-VALUE}.")
    int tokens = 128;

    @Option(
            names = {"-r", "--repetitions"},
            paramLabel = "N",
            description = "Timed runs of each. Default: ${DEFAULT-VALUE}.")
    int repetitions = 5;

    @Option(
            names = "--prompts",
            paramLabel = "FILE",
            description =
                    "Prompts: a text, or JSON lines with a field prompt, question, turns or text (.jsonl, also .gz)."
                            + " May be given several times.")
    List<Path> files = new ArrayList<>();

    @Option(names = "--limit", paramLabel = "N", description = "Prompts of each file. Default: ${DEFAULT-VALUE}.")
    int limit = 5;

    @Option(
            names = "--sweep",
            description = "With --draft: also try fixed numbers of guesses, and compare the best with what was chosen.")
    boolean sweep;

    @Option(
            names = "--synthetic",
            paramLabel = "NAME",
            description =
                    "Measure a model with random weights in the shape of a published one, such as qwen3-0.6b:q8_0."
                            + " It is written to --model, where that is no file yet, or for the time of the measurement.")
    @Nullable
    String synthetic;

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin(name = "How tokens are chosen:")
    SamplingArguments sampling = new SamplingArguments();

    @Mixin(name = ModelArguments.SECTION)
    ModelArguments model = new ModelArguments();

    @Mixin(name = DraftArguments.SECTION)
    DraftArguments draft = new DraftArguments();

    @Mixin
    CommonOptions help = new CommonOptions();

    BenchCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        requirePositive("--prompt-tokens", promptTokens);
        requirePositive("--max-tokens", tokens);
        requirePositive("--repetitions", repetitions);
        requirePositive("--limit", limit);
        draft.toOptions();
        BenchRuns runs = new BenchRuns(tokens, sampling.toOptions(), context.interruption()::isRequested);
        Map<String, List<String>> texts = new LinkedHashMap<>();
        files.forEach(file -> texts.put(file.toString(), BenchPrompts.read(file, limit)));
        if (synthetic == null) {
            return measure(runs, texts);
        }
        try (SyntheticFile made = SyntheticFile.write(context.console(), synthetic, model.choice.model)) {
            model.choice.model = made.file();
            return measure(runs, texts);
        }
    }

    private int measure(BenchRuns runs, Map<String, List<String>> texts) {
        try (LoadedModel loaded = LoadedModel.open(context, model);
                Drafting drafting = Drafting.open(context, loaded, draft, model.choice)) {
            List<BenchRow> rows = new ArrayList<>();
            prompts(loaded.model(), texts)
                    .forEach((name, prompts) -> rows.add(measure(name, prompts, runs, loaded, drafting)));
            context.console().out(json ? Json.print(object(loaded, rows)) : text(loaded, rows));
        }
        return ExitCode.OK.number();
    }

    private static void requirePositive(String option, int value) {
        if (value < 1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, option + " " + value + " is not 1 or more");
        }
    }

    private Map<String, List<int[]>> prompts(Model opened, Map<String, List<String>> texts) {
        Map<String, List<int[]>> prompts = new LinkedHashMap<>();
        texts.forEach((name, list) -> prompts.put(
                name,
                list.stream()
                        .map(text -> opened.tokenizer().encode(text, new EncodeOptions(false, true)))
                        .toList()));
        if (prompts.isEmpty()) {
            int vocabulary = opened.language().shape().vocabulary();
            prompts.put("made-up prompt", List.of(BenchRuns.meaningless(promptTokens, vocabulary)));
        }
        return prompts;
    }

    private BenchRow measure(String name, List<int[]> prompts, BenchRuns runs, LoadedModel loaded, Drafting drafting) {
        BenchRow row = new BenchRow(name, prompts.size());
        try (Progress progress = Progress.start(context.console(), "measuring", (long) prompts.size() * repetitions)) {
            long done = 0;
            for (int[] prompt : prompts) {
                for (int run = -1; run < repetitions; run++) {
                    GenerationResult plain = runs.run(loaded.model()::newSession, prompt);
                    Optional<GenerationResult> drafted =
                            drafting.active() ? Optional.of(runs.run(drafting::newSession, prompt)) : Optional.empty();
                    Map<Integer, GenerationResult> fixed = fixed(runs, drafting, prompt);
                    if (run >= 0) {
                        row.add(plain);
                        drafted.ifPresent(result -> row.add(plain, result));
                        fixed.forEach((guesses, result) -> row.add(plain, guesses, result));
                        progress.at(++done);
                    }
                }
            }
        }
        return row;
    }

    /** The same prompt with fixed numbers of guesses. */
    private Map<Integer, GenerationResult> fixed(BenchRuns runs, Drafting drafting, int[] prompt) {
        Map<Integer, GenerationResult> results = new LinkedHashMap<>();
        if (sweep && drafting.active()) {
            DraftOptions bounds = drafting.options();
            for (int guesses : SWEEP) {
                if (guesses <= bounds.maxNodes()) {
                    DraftOptions fixed = new DraftOptions(
                            Math.min(guesses, bounds.maxDepth()), guesses, bounds.shape(), false, bounds.deadline());
                    results.put(guesses, runs.run(() -> drafting.newSession(fixed), prompt));
                }
            }
        }
        return results;
    }

    private String text(LoadedModel loaded, List<BenchRow> rows) {
        int columns = context.console().terminal().outColumns();
        StringBuilder text = new StringBuilder();
        text.append(Text.indented(
                loaded.model().file().id().file() + ", " + loaded.description() + ", " + Text.plural(tokens, "token")
                        + ", " + Text.plural(repetitions, "run"),
                0,
                columns));
        rows.forEach(row -> text.append(row.text(columns)));
        return text.toString();
    }

    private ObjectNode object(LoadedModel loaded, List<BenchRow> rows) {
        ObjectNode report = Json.object();
        report.put("model", loaded.model().file().id().file());
        report.put("tokens", tokens);
        report.put("repetitions", repetitions);
        ArrayNode results = report.putArray("results");
        rows.forEach(row -> results.add(row.json()));
        RunReport.putPlace(report, loaded);
        return report;
    }
}
