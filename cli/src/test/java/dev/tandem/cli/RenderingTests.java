package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RenderingTests {
    private static final Table TENSORS = new Table(2)
            .row("blk.0.attn_output.weight", "Q4_K", "144.0 KiB")
            .row("output_norm.weight", "F32", "2.0 KiB");

    @Test
    void aTableAlignsItsColumnsWhereTheyFit() {
        assertEquals("""
                  blk.0.attn_output.weight  Q4_K  144.0 KiB
                  output_norm.weight        F32     2.0 KiB
                """, TENSORS.render(2, 200));
    }

    @Test
    void aTableTooWideForTheTerminalStacksItsCells() {
        String text = TENSORS.render(2, 40);

        assertEquals("""
                  blk.0.attn_output.weight
                    Q4_K  144.0 KiB
                  output_norm.weight
                    F32     2.0 KiB
                """, text);
    }

    @Test
    void aBarFitsItsTerminal() {
        assertAll(
                () -> assertEquals(
                        "loading a.gguf [############------------]  50 %",
                        Progress.render("loading a.gguf", 1, 2, 200)),
                () -> assertEquals("loading a.gguf [######------]  50 %", Progress.render("loading a.gguf", 1, 2, 36)),
                () -> assertEquals("reading the prompt ...", Progress.render("reading the prompt", 5, 0, 80)));
        for (int columns = 1; columns <= 200; columns++) {
            String line = Progress.render("loading a-model-with-a-long-name-q4_k_m.gguf", 7, 9, columns);
            assertTrue(line.length() < Math.max(columns, 10), columns + ": " + line);
        }
    }

    @Test
    void aBarSaysHundredOnlyAtTheEnd() {
        assertTrue(Progress.render("x", 999, 1000, 80).endsWith(" 99 %"));
        assertTrue(Progress.render("x", 1000, 1000, 80).endsWith(" 100 %"));
        assertTrue(Progress.render("x", 2000, 1000, 80).endsWith(" 100 %"));
    }

    @Test
    void sizesAndCountsHaveUnits() {
        assertAll(
                () -> assertEquals("1023 B", Text.bytes(1023)),
                () -> assertEquals("1.5 KiB", Text.bytes(1536)),
                () -> assertEquals("8.0 GiB", Text.bytes(8L << 30)),
                () -> assertEquals("999", Text.count(999)),
                () -> assertEquals("31.5 million", Text.count(31_470_000)),
                () -> assertEquals("1 token", Text.plural(1, "token")),
                () -> assertEquals("0 tokens", Text.plural(0, "token")),
                () -> assertEquals("0.12 s", Text.seconds(123_000_000)),
                () -> assertEquals("7.4/s", Text.rate(7.41)),
                () -> assertEquals("320/s", Text.rate(319.9)));
    }

    @Test
    void abbreviationsNeverCutACharacterInTwo() {
        assertAll(
                () -> assertEquals("🚀🚀…", Text.abbreviate("🚀🚀🚀🚀", 3)),
                () -> assertEquals("🚀…🚀", Text.abbreviateMiddle("🚀🚀🚀🚀", 3)),
                () -> assertEquals("abc", Text.abbreviate("abc", 3)));
    }

    @Test
    void controlCharactersAreShownAndNotObeyed() {
        assertAll(
                () -> assertEquals("a\\u001b[2J\\nb", Text.oneLine("a\033[2J\nb")),
                () -> assertEquals("a\\u001b[2J\nb\tc", Text.printable("a\033[2J\nb\tc")));
    }

    @Test
    void wrappedTextKeepsItsWordsAndItsIndentation() {
        assertEquals(
                "    the quick brown fox\n    jumps over\n", Text.indented("the quick brown fox jumps over", 4, 24));
    }

    @Test
    void suggestionsAreNearOrAbsent() {
        Set<String> options = Set.of("--temp", "--top-k", "--max-tokens", "-n", "-f");
        assertAll(
                () -> assertEquals(Optional.of("--temp"), Suggestions.nearest("--tmep", options)),
                () -> assertEquals(Optional.of("--temp"), Suggestions.nearest("--tempp", options)),
                () -> assertEquals(Optional.of("--max-tokens"), Suggestions.nearest("--max", options)),
                () -> assertEquals(Optional.empty(), Suggestions.nearest("-z", options)),
                () -> assertEquals(Optional.empty(), Suggestions.nearest("--frobnicate", options)),
                () -> assertEquals(Optional.of("run"), Suggestions.nearest("rnu", List.of("run", "logits"))));
    }
}
