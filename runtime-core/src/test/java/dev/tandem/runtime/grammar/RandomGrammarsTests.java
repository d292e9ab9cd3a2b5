package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Small random grammars, judged by listing their short texts. */
class RandomGrammarsTests {
    private static final long SEED = 20260108;
    private static final int LONGEST = 5;
    private static final String LETTERS = "ab";

    private static String expression(Random random, int depth) {
        int kind = random.nextInt(depth > 2 ? 3 : 8);
        return switch (kind) {
            case 0 -> "\"" + LETTERS.charAt(random.nextInt(2)) + "\"";
            case 1 -> "[ab]";
            case 2 -> random.nextInt(3) == 0 ? "\"\"" : "r" + random.nextInt(3);
            case 3 -> "(" + expression(random, depth + 1) + " | " + expression(random, depth + 1) + ")";
            case 4 ->
                "((" + expression(random, depth + 1) + ")"
                        + List.of("*", "+", "?", "{2}", "{1,2}", "{0,2}").get(random.nextInt(6)) + ")";
            default -> expression(random, depth + 1) + " " + expression(random, depth + 1);
        };
    }

    private static String grammar(Random random) {
        StringBuilder text = new StringBuilder("root ::= " + expression(random, 0) + "\n");
        for (int i = 0; i < 3; i++) {
            text.append("r")
                    .append(i)
                    .append(" ::= ")
                    .append(expression(random, 1))
                    .append('\n');
        }
        return text.toString();
    }

    /** By rule, its texts of limited length: grown from nothing until nothing is added. */
    private static Set<String> texts(Map<String, Rule> rules) {
        Map<String, Set<String>> texts = new HashMap<>();
        rules.keySet().forEach(name -> texts.put(name, new HashSet<>()));
        boolean grew = true;
        while (grew) {
            grew = false;
            for (Rule rule : rules.values()) {
                grew |= texts.getOrDefault(rule.name(), Set.of()).addAll(of(rule.expression(), texts));
            }
        }
        return texts.getOrDefault("root", Set.of());
    }

    private static Set<String> of(Expression expression, Map<String, Set<String>> texts) {
        Set<String> found = new HashSet<>();
        switch (expression) {
            case Expression.Characters(CodePointRanges set) ->
                LETTERS.chars().filter(set::contains).forEach(c -> found.add(Character.toString(c)));
            case Expression.Reference(String name) -> found.addAll(texts.getOrDefault(name, Set.of()));
            case Expression.Choice(List<Expression> options) ->
                options.forEach(option -> found.addAll(of(option, texts)));
            case Expression.Sequence(List<Expression> parts) -> {
                found.add("");
                for (Expression part : parts) {
                    Set<String> longer = joined(found, of(part, texts));
                    found.clear();
                    found.addAll(longer);
                }
            }
            case Expression.Repeat(Expression body, int least, int most) -> {
                Set<String> once = of(body, texts);
                Set<String> times = Set.of("");
                for (int i = 0; i <= (most < 0 ? least + LONGEST : most); i++) {
                    found.addAll(i < least ? Set.of() : times);
                    times = joined(times, once);
                }
            }
        }
        return found;
    }

    private static Set<String> joined(Set<String> first, Set<String> second) {
        Set<String> both = new HashSet<>();
        for (String a : first) {
            for (String b : second) {
                if (a.length() + b.length() <= LONGEST) {
                    both.add(a + b);
                }
            }
        }
        return both;
    }

    private static List<String> everyText() {
        List<String> all = new ArrayList<>(List.of(""));
        for (int i = 0; all.get(i).length() < LONGEST; i++) {
            all.add(all.get(i) + "a");
            all.add(all.get(i) + "b");
        }
        return all;
    }

    @Test
    void wholeTextsAreThoseOfAPlainListing() {
        Random random = new Random(SEED);
        int judged = 0;
        int whole = 0;
        for (int round = 0; round < 250; round++) {
            String text = grammar(random);
            Grammar grammar;
            try {
                grammar = Grammar.parse(text, "test");
            } catch (UsageException refused) {
                continue; // left-recursive or endless
            }
            Set<String> expected = texts(GbnfParser.parse(text, "test"));
            for (String candidate : everyText()) {
                Reading reading = Reading.of(grammar, candidate.getBytes(StandardCharsets.UTF_8));
                String where = "seed " + SEED + ", '" + candidate + "' of\n" + text;
                assertEquals(expected.contains(candidate), reading == Reading.WHOLE, where);
                boolean begins = expected.stream().anyMatch(one -> one.startsWith(candidate));
                assertTrue(!begins || reading != Reading.WRONG, where);
                whole += reading == Reading.WHOLE ? 1 : 0;
            }
            judged++;
        }
        assertTrue(judged > 80 && whole > 500, judged + " grammars, " + whole + " texts");
    }

    @Test
    void aMaskHoldsExactlyTheTokensThatKeepTheTextAlive() {
        Random random = new Random(SEED);
        byte[][] tokens = new byte[60][];
        for (int id = 0; id < tokens.length; id++) {
            tokens[id] = random.ints(random.nextInt(5), 0, 3)
                    .collect(StringBuilder::new, (s, c) -> s.append("abc".charAt(c)), StringBuilder::append)
                    .toString()
                    .getBytes(StandardCharsets.UTF_8);
        }
        VocabularyTrie trie = new VocabularyTrie(tokens);
        for (int round = 0; round < 100; round++) {
            Grammar grammar;
            try {
                grammar = Grammar.parse(grammar(random), "test");
            } catch (UsageException refused) {
                continue;
            }
            for (String before : everyText()) {
                byte[] begun = before.getBytes(StandardCharsets.UTF_8);
                if (begun.length > 3 || Reading.of(grammar, begun) == Reading.WRONG) {
                    continue;
                }
                Recogniser recogniser = new Recogniser(grammar.network());
                Recogniser.State state = recogniser.start();
                for (byte b : begun) {
                    state = recogniser.next(state, b);
                }
                BitSet expected = new BitSet();
                for (int id = 0; id < tokens.length; id++) {
                    String longer = before + new String(tokens[id], StandardCharsets.UTF_8);
                    boolean alive = Reading.of(grammar, longer.getBytes(StandardCharsets.UTF_8)) != Reading.WRONG;
                    expected.set(id, tokens[id].length > 0 && alive);
                }
                assertEquals(expected, trie.allowed(recogniser, state), "seed " + SEED + ", round " + round);
                Recogniser fresh = new Recogniser(grammar.network());
                assertEquals(expected, trie.allowed(fresh, recogniser.movedTo(fresh, state)), "moved, round " + round);
            }
        }
    }
}
