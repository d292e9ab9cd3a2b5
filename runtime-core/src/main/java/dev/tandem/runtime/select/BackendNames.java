package dev.tandem.runtime.select;

import dev.tandem.runtime.plugin.PluginReport;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the backend that a name on the command line means.
 *
 * <p>The two tables are the only place of the engine that knows names of backends. They are names of the trade, not
 * plugins: nothing else changes when a plugin of that name is absent.
 */
final class BackendNames {
    /** Other names for the same thing. */
    private static final Map<String, String> ALIASES = Map.of("hip", "rocm");

    /** Names that scripts written for one vendor use; they stand for another only where that one is all there is. */
    private static final Map<String, String> COMPATIBLE = Map.of("cuda", "rocm");

    private BackendNames() {}

    /**
     * What a name means.
     *
     * @param id the backend's id
     * @param note what the user should know about the translation
     */
    record Resolved(String id, Optional<String> note) {}

    /** Resolves a name among the loaded ids; empty where it means none of them. */
    static Optional<Resolved> resolve(String name, Collection<String> loaded, PluginReport report) {
        if (loaded.contains(name)) {
            return Optional.of(new Resolved(name, Optional.empty()));
        }
        String alias = ALIASES.get(name);
        if (alias != null && loaded.contains(alias)) {
            return Optional.of(new Resolved(alias, Optional.empty()));
        }
        String stand = COMPATIBLE.get(name);
        if (stand != null && loaded.contains(stand) && !isKnown(name, report)) {
            String note = "no '" + name + "' plugin is installed: '" + name
                    + "' is accepted as a compatibility alias and means '" + stand + "' here";
            return Optional.of(new Resolved(stand, Optional.of(note)));
        }
        return Optional.empty();
    }

    /** The name among the given ones that a typing error may have meant: at most two letters wrong, and not most. */
    static Optional<String> nearest(String name, List<String> known) {
        String best = "";
        int bestDistance = Math.min(2, name.length() / 2) + 1;
        for (String candidate : known) {
            int distance = distance(name, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return best.isEmpty() ? Optional.empty() : Optional.of(best);
    }

    private static boolean isKnown(String id, PluginReport report) {
        return report.entries().stream().anyMatch(entry -> entry.id().equals(Optional.of(id)));
    }

    /** Levenshtein's distance, row by row. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
