package dev.tandem.runtime.chat.jinja;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Whatever a template's text, nothing but the two documented exceptions is thrown. */
class MutatedTemplatesTests {
    private static final long SEED = 20_261_130;
    private static final int PER_TEMPLATE = 25;
    private static final Limits LIMITS = new Limits(200_000, 4 << 20, 1 << 20, Limits.DEFAULT.depth());
    private static final String[] PIECES = {
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "-",
        "+",
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        "'",
        "\"",
        "|",
        ".",
        ":",
        ",",
        "~",
        "**",
        " if ",
        " else ",
        " in ",
        " not ",
        " is ",
        "[::-1]",
        "|length",
        "|tojson",
        "|list",
        "|sort",
        ".items()",
        "{% endif %}",
        "{% endfor %}",
        "{% else %}",
        "{% break %}",
        "none",
        "true",
        "1",
        "-1",
        "0",
        "'%s' % ",
        " // ",
        " * 9999999",
        "loop",
        "messages",
        "\\",
        "\n",
        "\u0000",
        "\ud83d",
        "😀"
    };

    @Test
    void throwOnlyWhatIsDocumented() throws IOException {
        Map<String, Object> variables = Map.of(
                "messages",
                List.of(
                        Map.of("role", "system", "content", "S"),
                        Map.of("role", "user", "content", "U"),
                        Map.of("role", "assistant", "content", "A"),
                        Map.of("role", "user", "content", "V")),
                "bos_token",
                "<s>",
                "eos_token",
                "</s>",
                "add_generation_prompt",
                true);
        Random random = new Random(SEED);
        int rendered = 0;
        int refused = 0;
        for (Path file : templates()) {
            String source = Files.readString(file);
            for (int i = 0; i < PER_TEMPLATE; i++) {
                String mutant = mutant(source, random);
                try {
                    JinjaTemplate.parse("template", mutant).render(variables, LanguageTests.CLOCK, LIMITS);
                    rendered++;
                } catch (ModelFileException | UsageException e) {
                    refused++;
                } catch (RuntimeException | StackOverflowError e) {
                    throw new AssertionError("seed " + SEED + ", " + file + ", mutant " + i + ":\n" + mutant, e);
                }
            }
        }
        assertTrue(rendered > 100 && refused > 100, "rendered " + rendered + ", refused " + refused);
    }

    private static List<Path> templates() throws IOException {
        try (Stream<Path> files = Files.list(Golden.shared("chat-templates"))) {
            List<Path> templates = new ArrayList<>(
                    files.filter(f -> f.toString().endsWith(".jinja")).sorted().toList());
            assertTrue(templates.size() > 40, "only " + templates.size() + " templates");
            return templates;
        }
    }

    private static String mutant(String source, Random random) {
        StringBuilder text = new StringBuilder(source);
        for (int edits = random.nextInt(1, 4); edits > 0 && !text.isEmpty(); edits--) {
            int at = random.nextInt(text.length());
            int end = Math.min(text.length(), at + random.nextInt(1, 12));
            switch (random.nextInt(4)) {
                case 0 -> text.delete(at, end);
                case 1 -> text.insert(at, text.substring(at, end));
                case 2 -> text.insert(random.nextInt(text.length()), text.substring(at, end));
                default -> text.insert(at, PIECES[random.nextInt(PIECES.length)]);
            }
        }
        return text.toString();
    }
}
