package dev.tandem.cli;

import java.util.Collection;
import java.util.Optional;

/** Finds the name that a typing error may have meant. */
final class Suggestions {
    private Suggestions() {}

    /** The nearest name: a third of the letters may be wrong, at most three; the beginning of a name is near too. */
    static Optional<String> nearest(String name, Collection<String> known) {
        String best = null;
        int bestDistance = Math.min(name.length() / 3, 3) + 1;
        for (String candidate : known) {
            boolean begins = name.length() >= 4 && candidate.startsWith(name);
            int distance = begins ? 1 : distance(name, candidate);
            if (distance < bestDistance) {
                best = candidate;
                bestDistance = distance;
            }
        }
        return Optional.ofNullable(best);
    }

    /** Letters inserted, removed, replaced, or swapped with their neighbour (optimal string alignment). */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 || j == 0 ? i + j : step(d, a, b, i, j);
            }
        }
        return d[a.length()][b.length()];
    }

    private static int step(int[][] d, String a, String b, int i, int j) {
        boolean equal = a.charAt(i - 1) == b.charAt(j - 1);
        int least = Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (equal ? 0 : 1));
        boolean swapped = i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
        return swapped ? Math.min(least, d[i - 2][j - 2] + 1) : least;
    }
}
