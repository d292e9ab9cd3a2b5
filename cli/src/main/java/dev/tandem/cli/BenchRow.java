package dev.tandem.cli;

import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.node.ObjectNode;

/** Measurements over the prompts of one file. */
final class BenchRow {
    private final String name;
    private final int prompts;
    private final List<Double> prefill = new ArrayList<>();
    private final List<Double> plain = new ArrayList<>();
    private final List<Double> drafted = new ArrayList<>();
    private final List<Double> gains = new ArrayList<>();
    private final Map<Integer, List<Double>> fixedGains = new TreeMap<>();
    private int passes;
    private int tokens;
    private boolean same = true;

    /**
     * Nothing measured.
     *
     * @param name of the file
     * @param prompts how many it gives
     */
    BenchRow(String name, int prompts) {
        this.name = name;
        this.prompts = prompts;
    }

    /** Adds a plain run. */
    void add(GenerationResult run) {
        prefill.add(run.timings().prefillPerSecond());
        plain.add(run.timings().decodePerSecond());
    }

    /** Adds a run with guesses that followed a plain one. */
    void add(GenerationResult before, GenerationResult run) {
        drafted.add(run.timings().decodePerSecond());
        gains.add(run.timings().decodePerSecond() / before.timings().decodePerSecond());
        same &= Arrays.equals(before.ids(), run.ids());
        DraftStatistics did = run.draft().orElseThrow();
        passes += did.passes();
        tokens += did.tokens();
    }

    /** Adds a run with a fixed number of guesses that followed a plain one. */
    void add(GenerationResult before, int guesses, GenerationResult run) {
        fixedGains
                .computeIfAbsent(guesses, g -> new ArrayList<>())
                .add(run.timings().decodePerSecond() / before.timings().decodePerSecond());
        same &= Arrays.equals(before.ids(), run.ids());
    }

    private double tokensPerPass() {
        return passes == 0 ? 0 : (double) tokens / passes;
    }

    /** Smallest, median and largest of some numbers. */
    private record Spread(double least, double median, double most) {
        static Spread of(List<Double> values) {
            double[] sorted =
                    values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return new Spread(sorted[0], median, sorted[sorted.length - 1]);
        }
    }

    /** The lines for people. */
    String text(int columns) {
        StringBuilder text = new StringBuilder();
        text.append(Text.indented(Text.oneLine(name) + ", " + Text.plural(prompts, "prompt"), 0, columns));
        Table table = new Table(1, 2, 3).row("tokens/s", "median", "least", "most");
        addTo(table, "prompt", prefill);
        addTo(table, "plain", plain);
        if (!drafted.isEmpty()) {
            addTo(table, "guessing ahead", drafted);
            addTo(table, "gain", gains);
        }
        fixedGains.forEach((guesses, values) -> addTo(table, "gain with " + guesses, values));
        text.append(table.render(2, columns));
        if (!drafted.isEmpty()) {
            String verdict = same ? "the same text each time" : "THE TEXTS DIFFER: please report this";
            text.append(Text.indented(
                    String.format(Locale.ROOT, "%.2f tokens per pass, ", tokensPerPass()) + verdict, 2, columns));
        }
        if (!fixedGains.isEmpty()) {
            double best = bestFixed();
            String ratio = number(Spread.of(gains).median() / Math.max(1, best));
            text.append(Text.indented(
                    "best fixed number, none included: " + number(Math.max(1, best)) + "; chosen / best: " + ratio,
                    2,
                    columns));
        }
        return text.toString();
    }

    private double bestFixed() {
        return fixedGains.values().stream()
                .mapToDouble(values -> Spread.of(values).median())
                .max()
                .orElseThrow();
    }

    private static void addTo(Table table, String label, List<Double> values) {
        Spread spread = Spread.of(values);
        table.row(label, number(spread.median()), number(spread.least()), number(spread.most()));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : "%.1f", value);
    }

    /** The object for programs. */
    ObjectNode json() {
        ObjectNode node = Json.object();
        node.put("prompts", name);
        node.put("count", prompts);
        put(node, "prefill_tokens_per_second", prefill);
        put(node, "decode_tokens_per_second", plain);
        if (!drafted.isEmpty()) {
            put(node, "drafted_tokens_per_second", drafted);
            put(node, "gain", gains);
            node.put("tokens_per_pass", tokensPerPass());
            node.put("same_text", same);
        }
        if (!fixedGains.isEmpty()) {
            ObjectNode fixed = node.putObject("fixed_gain");
            fixedGains.forEach((guesses, values) -> put(fixed, Integer.toString(guesses), values));
            node.put("best_fixed_gain", Math.max(1, bestFixed()));
        }
        return node;
    }

    private static void put(ObjectNode node, String label, List<Double> values) {
        Spread spread = Spread.of(values);
        node.putObject(label)
                .put("median", spread.median())
                .put("least", spread.least())
                .put("most", spread.most());
    }
}
