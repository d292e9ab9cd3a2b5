package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StopStringsTests {
    private static final long SEED = 20260106;

    /** What a whole text becomes: the text shown, and the stop string that ended it. */
    private record Ending(String shown, Optional<String> stop) {}

    /** Tries every end in turn, and at each end every stop string. */
    private static Ending naive(String text, List<String> stops) {
        for (int end = 1; end <= text.length(); end++) {
            String beginning = text.substring(0, end);
            Optional<String> longest =
                    stops.stream().filter(beginning::endsWith).reduce((a, b) -> b.length() > a.length() ? b : a);
            if (longest.isPresent()) {
                return new Ending(text.substring(0, end - longest.get().length()), longest);
            }
        }
        return new Ending(text, Optional.empty());
    }

    private static String word(Random random, int longest) {
        StringBuilder word = new StringBuilder();
        int length = 1 + random.nextInt(longest);
        for (int i = 0; i < length; i++) {
            word.append(random.nextInt(10) == 0 ? "😀" : random.nextBoolean() ? "a" : "b");
        }
        return word.toString();
    }

    @Test
    void matchesANaiveReferenceOverRandomSplits() {
        Random random = new Random(SEED);
        int stopped = 0;
        for (int round = 0; round < 20_000; round++) {
            List<String> stops = new ArrayList<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                stops.add(word(random, 7));
            }
            String where = "seed " + SEED + ", round " + round + ", stops " + stops;
            StringBuilder text = new StringBuilder();
            StringBuilder shown = new StringBuilder();
            StopStrings matcher = new StopStrings(stops);
            for (int i = random.nextInt(20); i > 0; i--) {
                String piece = random.nextInt(8) == 0 ? "" : word(random, 4);
                text.append(piece);
                shown.append(matcher.accept(piece));
                if (matcher.match().isEmpty()) {
                    assertHeldBack(text.substring(shown.length()), stops, where);
                }
            }
            shown.append(matcher.flush());
            Ending expected = naive(text.toString(), stops);
            assertEquals(expected, new Ending(shown.toString(), matcher.match()), where);
            stopped += expected.stop().isPresent() ? 1 : 0;
        }
        assertTrue(stopped > 1000 && stopped < 19_000, "both endings must be tried: " + stopped);
    }

    /** Held text begins a stop string. That it is never too little, the comparison of the endings shows. */
    private static void assertHeldBack(String held, List<String> stops, String where) {
        assertTrue(held.isEmpty() || stops.stream().anyMatch(stop -> stop.startsWith(held)), where + ", held " + held);
    }

    @Test
    void findsAStopStringThatSpansPieces() {
        StopStrings stops = new StopStrings(List.of("\n\n```"));
        assertEquals("int x;", stops.accept("int x;\n"));
        assertEquals("", stops.accept("\n"));
        assertEquals("", stops.accept("``"));
        assertEquals(Optional.empty(), stops.match());
        assertEquals("", stops.accept("` and more"));
        assertEquals(Optional.of("\n\n```"), stops.match());
        assertEquals("", stops.accept("ignored"));
        assertEquals("", stops.flush());
    }

    @Test
    void releasesTextThatTurnsOutToBeNoStopString() {
        StopStrings stops = new StopStrings(List.of("aab"));
        assertEquals("x", stops.accept("xaa"));
        assertEquals("a", stops.accept("a"));
        assertEquals("aac", stops.accept("c"));
        assertEquals("", stops.accept("a"));
        assertEquals("a", stops.flush());
        assertEquals(Optional.empty(), stops.match());
    }

    @Test
    void theStopStringCompleteFirstWinsThenTheLongest() {
        StopStrings first = new StopStrings(List.of("abcd", "bc"));
        assertEquals("a", first.accept("abcd"));
        assertEquals(Optional.of("bc"), first.match());
        StopStrings longest = new StopStrings(List.of("c", "abc", "bc"));
        assertEquals("x", longest.accept("xabc"));
        assertEquals(Optional.of("abc"), longest.match());
    }

    @Test
    void withoutStopStringsEveryPiecePasses() {
        StopStrings none = new StopStrings(List.of());
        assertEquals("a\n", none.accept("a\n"));
        assertEquals("", none.flush());
    }

    @Test
    void anEmptyStopStringIsRefused() {
        UsageException refusal = assertThrows(UsageException.class, () -> new StopStrings(List.of("a", "")));
        assertEquals("--stop is empty", refusal.getMessage());
    }
}
