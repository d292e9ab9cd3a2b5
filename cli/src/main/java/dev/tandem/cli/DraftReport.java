package dev.tandem.cli;

import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.DraftStatistics.Depth;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What became of guesses, for people and for programs. */
final class DraftReport {
    private DraftReport() {}

    /** For the last line of a run, such as {@code dflash 2.71 tokens per pass}. */
    static String summary(DraftStatistics draft) {
        String parked = draft.parked().isPresent() ? " (parked)" : "";
        return draft.strategy() + parked + " " + ratio(draft.tokensPerPass()) + " tokens per pass";
    }

    /** The table of {@code --draft-stats}. */
    static String table(DraftStatistics draft, int columns) {
        StringBuilder text = new StringBuilder();
        draft.parked().ifPresent(why -> text.append(Text.indented("parked: " + Text.oneLine(why), 0, columns)));
        text.append(new Table(1)
                .row("strategy", draft.strategy())
                .row("passes of the model", Integer.toString(draft.passes()))
                .row("with guesses", Integer.toString(draft.rounds()))
                .row("tokens", Integer.toString(draft.tokens()))
                .row("tokens per pass", ratio(draft.tokensPerPass()))
                .row("guesses checked", Integer.toString(draft.drafted()))
                .row("accepted", draft.accepted() + " (" + percent(draft.acceptanceRate()) + ")")
                .row("time guessing", Text.seconds(draft.draftNanos()))
                .row("time in passes", Text.seconds(draft.verifyNanos()))
                .row("time keeping", Text.seconds(draft.commitNanos()))
                .render(0, columns));
        if (!draft.depths().isEmpty()) {
            Table depths = new Table(0, 1, 2, 3).row("distance", "offered", "accepted", "of those reached");
            for (int i = 0; i < draft.depths().size(); i++) {
                Depth depth = draft.depths().get(i);
                depths.row(
                        Integer.toString(i + 1),
                        Integer.toString(depth.offered()),
                        percent(depth.rate()),
                        percent(depth.conditionalRate()));
            }
            text.append('\n').append(depths.render(0, columns));
        }
        return text.toString();
    }

    private static String ratio(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    private static String percent(double share) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * share);
    }

    /** The object {@code draft} of {@code --json}. */
    static ObjectNode json(DraftStatistics draft) {
        ObjectNode report = Json.object();
        report.put("strategy", draft.strategy());
        report.put("parked", draft.parked().orElse(null));
        report.put("passes", draft.passes());
        report.put("rounds", draft.rounds());
        report.put("tokens", draft.tokens());
        report.put("drafted", draft.drafted());
        report.put("accepted", draft.accepted());
        report.put("tokens_per_pass", rounded(draft.tokensPerPass()));
        ArrayNode depths = report.putArray("acceptance_by_position");
        for (Depth depth : draft.depths()) {
            depths.addObject()
                    .put("offered", depth.offered())
                    .put("reached", depth.reached())
                    .put("accepted", depth.accepted())
                    .put("rate", rounded(depth.rate()))
                    .put("conditional_rate", rounded(depth.conditionalRate()));
        }
        report.putObject("ms")
                .put("draft", RunReport.millis(draft.draftNanos()))
                .put("verify", RunReport.millis(draft.verifyNanos()))
                .put("commit", RunReport.millis(draft.commitNanos()));
        return report;
    }

    private static double rounded(double value) {
        return Math.round(value * 1e4) / 1e4;
    }
}
