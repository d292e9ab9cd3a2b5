package dev.tandem.cli;

import dev.tandem.runtime.tokenizer.Evidence;
import dev.tandem.runtime.tokenizer.Tokenizers;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of tokenizers and what each was checked against: {@code doctor --tokenizers}. */
final class TokenizerKinds {
    private static final int INDENT = 2;
    private static final int DETAIL_INDENT = 4;

    private TokenizerKinds() {}

    /** For people: one group for each kind of evidence, the missing one last. */
    static String text(int columns) {
        StringBuilder text = new StringBuilder();
        for (Evidence evidence : Evidence.values()) {
            text.append(Text.indented(evidence.label(), 0, columns));
            List<Tokenizers.Kind> kinds = Tokenizers.kinds().stream()
                    .filter(kind -> kind.evidence() == evidence)
                    .toList();
            for (Tokenizers.Kind kind : kinds) {
                text.append(Text.indented(kind.model() + " " + kind.name(), INDENT, columns));
                if (!kind.aliases().isEmpty()) {
                    text.append(Text.indented("also " + String.join(", ", kind.aliases()), DETAIL_INDENT, columns));
                }
            }
            if (kinds.isEmpty()) {
                text.append(Text.indented("none", INDENT, columns));
            }
        }
        return text.toString();
    }

    /** For programs. */
    static ObjectNode json() {
        ObjectNode report = Json.object();
        ArrayNode kinds = report.putArray("tokenizers");
        for (Tokenizers.Kind kind : Tokenizers.kinds()) {
            ObjectNode entry = kinds.addObject();
            entry.put("model", kind.model()).put("name", kind.name());
            entry.set("aliases", Json.texts(kind.aliases()));
            entry.put("verified", kind.evidence() != Evidence.NONE);
            entry.put("evidence", kind.evidence().name().toLowerCase(Locale.ROOT));
        }
        return report;
    }
}
