package dev.tandem.cli;

import dev.tandem.runtime.Model;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.Timings;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A finished generation as one line for people and one object for programs. */
final class RunReport {
    private RunReport() {}

    /** Tokens, times and speeds, such as {@code 9 prompt tokens in 0.12 s (75/s), 128 tokens in 0.40 s (320/s), ...}. */
    static String summary(LoadedModel loaded, GenerationResult result) {
        Timings timings = result.timings();
        String end = switch (result.stopReason()) {
            case END_OF_GENERATION, STOP_STRING -> "";
            case MAX_TOKENS -> "; ended by --max-tokens";
            case CONTEXT_FULL ->
                "; ended because the context of " + loaded.model().contextRows() + " tokens is full";
            case CANCELLED -> "; interrupted";
        };
        return part(timings.promptTokens(), "prompt token", timings.prefillNanos(), timings.prefillPerSecond())
                + ", "
                + part(result.ids().length, "token", timings.decodeNanos(), timings.decodePerSecond())
                + result.draft().map(draft -> ", " + DraftReport.summary(draft)).orElse("")
                + ", " + loaded.description() + end;
    }

    /** Tokens, time and speed, such as {@code 9 prompt tokens in 0.12 s (75/s)}. */
    static String part(int tokens, String noun, long nanos, double perSecond) {
        String speed = perSecond > 0 ? " (" + Text.rate(perSecond) + ")" : "";
        return Text.plural(tokens, noun) + " in " + Text.seconds(nanos) + speed;
    }

    /** The object of {@code --json}, with log-probabilities where somebody wants them. */
    static String json(LoadedModel loaded, GenerationResult result, @Nullable ChosenLogProbabilities chosen) {
        Model model = loaded.model();
        ObjectNode report = Json.object();
        report.put("model", model.file().id().file());
        report.set("prompt_ids", Json.numbers(result.promptIds()));
        report.set("ids", Json.numbers(result.ids()));
        report.put("text", result.text());
        if (chosen != null) {
            report.set("logprobs", chosen.json());
        }
        report.put("stop_reason", result.stopReason().label());
        Timings timings = result.timings();
        ObjectNode times = report.putObject("timings");
        times.putObject("load").put("ms", millis(model.loadNanos()));
        putTiming(times, "prefill", timings.prefillNanos(), timings.promptTokens(), timings.prefillPerSecond());
        putTiming(times, "decode", timings.decodeNanos(), timings.decodedTokens(), timings.decodePerSecond());
        putPlace(report, loaded);
        result.draft().ifPresent(draft -> report.set("draft", DraftReport.json(draft)));
        return Json.print(report);
    }

    /** Adds where and how the model ran. */
    static void putPlace(ObjectNode report, LoadedModel loaded) {
        Model model = loaded.model();
        report.put("backend", model.backend().backend().id());
        report.put("device", model.backend().device().id());
        report.put("driver", model.backend().device().driver());
        report.put("precision", LoadedModel.precisionName(model.options().precision()));
        report.set("fallbacks", Json.texts(model.fallbacks()));
        report.set("notices", Json.texts(model.notices()));
    }

    private static void putTiming(ObjectNode times, String name, long nanos, int tokens, double perSecond) {
        times.putObject(name)
                .put("ms", millis(nanos))
                .put("tokens", tokens)
                .put("tokens_per_second", Math.round(perSecond * 100) / 100.0);
    }

    /** Milliseconds with three decimals, as exact as the clock is. */
    static double millis(long nanos) {
        return Math.round(nanos / 1e3) / 1e3;
    }
}
