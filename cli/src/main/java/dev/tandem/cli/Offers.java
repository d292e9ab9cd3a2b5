package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.speculative.DraftChoice;
import dev.tandem.runtime.speculative.DraftOffer;
import dev.tandem.runtime.speculative.DraftQueries;
import dev.tandem.runtime.speculative.DraftSelector;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What every strategy says of a model and files for drafting. */
final class Offers {
    private static final int INDENT = 4;

    private Offers() {}

    /** Asks all strategies; loads no weights and touches no device. */
    static List<DraftOffer> of(Engine engine, GgufFile target, LanguageModel language, List<ModelView> drafters) {
        int contextRows = language.shape().contextLength();
        int stepRows = Math.min(ModelOptions.DEFAULT_STEP_ROWS, contextRows);
        DraftQuery query = DraftQueries.of(target, language, drafters, contextRows, stepRows, -1);
        return new DraftSelector(engine.plugins().drafts(), Drafting.PLANNING).offers(query);
    }

    /** The strategies that make something of a file: what they say differs from what they say without it, and they fit. */
    static List<DraftOffer> using(Engine engine, GgufFile target, LanguageModel language, GgufFile drafter) {
        List<DraftOffer> without = of(engine, target, language, List.of());
        return of(engine, target, language, List.of(drafter)).stream()
                .filter(offer -> offer instanceof DraftChoice choice
                        && without.stream().noneMatch(other -> isPlan(other, choice)))
                .toList();
    }

    private static boolean isPlan(DraftOffer other, DraftChoice choice) {
        return other instanceof DraftChoice bare && bare.plan().equals(choice.plan());
    }

    /** For people. */
    static String text(GgufFile target, List<DraftOffer> offers, int columns) {
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

    /** For programs. */
    static ObjectNode object(GgufFile target, List<DraftOffer> offers) {
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
