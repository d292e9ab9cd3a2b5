package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Masks that are found on another thread are those that are found on the own. */
class TokenMaskTests {
    private static final byte[][] TEXTS = texts();

    /** Every byte, and some words. */
    private static byte[][] texts() {
        byte[][] texts = new byte[1024][];
        Random random = new Random(3);
        for (int id = 0; id < texts.length; id++) {
            String word = Integer.toString(random.nextInt(100_000), 36) + (id % 3 == 0 ? "\"" : "");
            texts[id] = id < 256 ? new byte[] {(byte) id} : word.getBytes(StandardCharsets.UTF_8);
        }
        return texts;
    }

    private static TokenMask mask(Grammar grammar) {
        return new TokenMask(grammar.network(), new VocabularyTrie(TEXTS), new BitSet(), id -> TEXTS[id]);
    }

    @Test
    void preparedMasksAreTheSame() {
        Grammar grammar = Grammar.ofJsonSchema(
                Map.of("type", "array", "items", Map.of("type", "string", "maxLength", 9), "minItems", 20), "test");
        TokenMask plain = mask(grammar);
        TokenMask prepared = mask(grammar);
        Random random = new Random(8);
        for (int step = 0; step < 60 && !plain.isComplete(); step++) {
            prepared.prepare();
            BitSet allowed = plain.allowed();
            // Now and then the mask is not asked for: the text goes on all the same.
            if (step % 5 != 0) {
                assertEquals(allowed, prepared.allowed(), "step " + step);
                assertEquals(allowed, prepared.allowed(), "asked twice in step " + step);
            }
            int[] ids = allowed.stream().toArray();
            int id = ids[random.nextInt(ids.length)];
            plain.accept(id);
            prepared.accept(id);
        }
    }

    @Test
    void whatIsWrongIsThrownWhereTheMaskIsAskedFor() {
        TokenMask mask = mask(Grammar.parse("root ::= \"(\" \"b\" deep\ndeep ::= (\"a\"?){9000}", "test"));
        mask.accept('(');
        mask.prepare();
        assertThrows(UsageException.class, mask::allowed);
    }
}
