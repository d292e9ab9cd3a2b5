package dev.tandem.runtime.grammar;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A seeded form of finite texts, written both as a grammar and as a regular expression of Java's, which judges.
 *
 * @param gbnf right side of a rule
 * @param regex the same texts
 */
record RandomPattern(String gbnf, String regex) {
    private static final String[][] ATOMS = {
        {"[a-z]", "[a-z]"}, {"[0-9]", "[0-9]"}, {"[^a-z\\n]", "[^a-z\\n]"}, {"\"int\"", "int"}, {"\" = \"", " = "},
        {"\"\\n\"", "\\n"}, {"\"{}\"", "\\{\\}"}, {"[äöü€]", "[äöü€]"}, {"\"return \"", "return "}, {"\";\"", ";"}
    };

    static RandomPattern next(Random random, int depth) {
        return switch (random.nextInt(depth > 2 ? 2 : 5)) {
            case 0, 1 -> {
                String[] atom = ATOMS[random.nextInt(ATOMS.length)];
                yield new RandomPattern(atom[0], atom[1]);
            }
            case 2 -> joined(random, depth, " ", "");
            case 3 -> joined(random, depth, " | ", "|");
            default -> {
                RandomPattern one = next(random, depth + 1);
                int least = random.nextInt(3);
                String times = "{" + least + "," + (least + 1 + random.nextInt(3)) + "}";
                yield new RandomPattern("(" + one.gbnf + ")" + times, "(?:" + one.regex + ")" + times);
            }
        };
    }

    private static RandomPattern joined(Random random, int depth, String between, String regexBetween) {
        List<RandomPattern> parts = IntStream.range(0, 2 + random.nextInt(2))
                .mapToObj(i -> next(random, depth + 1))
                .toList();
        return new RandomPattern(
                parts.stream().map(RandomPattern::gbnf).collect(Collectors.joining(between, "(", ")")),
                parts.stream().map(RandomPattern::regex).collect(Collectors.joining(regexBetween, "(?:", ")")));
    }
}
