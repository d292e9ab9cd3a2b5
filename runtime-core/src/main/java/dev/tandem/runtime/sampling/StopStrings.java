package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Ends a streamed text at the first stop string, and never lets a part of one through.
 *
 * <p>The first stop string is the one that is complete first; of several complete at the same character, the longest.
 * So where a text ends does not depend on how it is cut into pieces, and generation never runs on to see whether a
 * longer stop string would follow. Text that may be the beginning of a stop string is held back until that is decided.
 *
 * <p>One instance serves one text. Each character costs a constant number of steps per stop string, on average, by the
 * automaton of Knuth, Morris and Pratt ("Fast pattern matching in strings", 1977).
 */
public final class StopStrings {
    private final List<Automaton> automata;
    private final StringBuilder held = new StringBuilder();
    private @Nullable String match;

    /**
     * A matcher at the beginning of a text.
     *
     * @param stops stop strings; none means that every text passes at once
     * @throws UsageException where a stop string is empty
     */
    public StopStrings(List<String> stops) {
        if (stops.contains("")) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--stop is empty", "Give at least one character, or leave --stop out.");
        }
        this.automata = stops.stream()
                .distinct()
                .sorted(Comparator.comparingInt(String::length).reversed())
                .map(Automaton::new)
                .toList();
    }

    /**
     * Takes the next piece of the text.
     *
     * @param piece valid Unicode of any length
     * @return text that can be shown now, perhaps empty; nothing more follows once {@link #match} is present
     */
    public String accept(String piece) {
        if (match != null) {
            return "";
        }
        for (int i = 0; i < piece.length(); i++) {
            held.append(piece.charAt(i));
            match = completedBy(piece.charAt(i));
            if (match != null) {
                return release(match.length(), true);
            }
        }
        int open = automata.stream().mapToInt(a -> a.matched).max().orElse(0);
        return release(open, false);
    }

    /**
     * Ends a text that met no stop string.
     *
     * @return what was still held back, perhaps empty
     */
    public String flush() {
        return release(0, true);
    }

    /**
     * How much of the text is held back.
     *
     * @return characters
     */
    public int heldBack() {
        return held.length();
    }

    /**
     * The stop string that ended the text.
     *
     * @return the stop string, or empty while the text goes on
     */
    public Optional<String> match() {
        return Optional.ofNullable(match);
    }

    /** Moves every automaton by one character; the longest stop string that this completes, or null. */
    private @Nullable String completedBy(char next) {
        String completed = null;
        for (Automaton automaton : automata) {
            boolean complete = automaton.step(next);
            if (complete && completed == null) {
                completed = automaton.stop;
            }
        }
        return completed;
    }

    /** Removes and returns all but the last {@code rest} characters; drops these too where the text ends. */
    private String release(int rest, boolean end) {
        String released = held.substring(0, held.length() - rest);
        held.delete(0, end ? held.length() : released.length());
        return released;
    }

    /** How much of one stop string the text's end matches. */
    private static final class Automaton {
        private final String stop;
        /**
         * By matched characters less 1: the longest proper beginning of the stop string that is also an end of
         * them.
         */
        private final int[] fallback;

        private int matched;

        Automaton(String stop) {
            this.stop = stop;
            this.fallback = new int[stop.length()];
            for (int i = 1; i < stop.length(); i++) {
                fallback[i] = next(fallback[i - 1], stop.charAt(i));
            }
        }

        /** Whether the stop string is now complete. */
        boolean step(char c) {
            matched = next(matched, c);
            return matched == stop.length();
        }

        private int next(int from, char c) {
            int length = from;
            while (length > 0 && stop.charAt(length) != c) {
                length = fallback[length - 1];
            }
            return stop.charAt(length) == c ? length + 1 : length;
        }
    }
}
