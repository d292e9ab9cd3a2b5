package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.gguf.GgufFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** Reads golden tokenizer data from the shared folder, which may be absent. */
final class GoldenTokens {
    private static final Pattern PROMPT =
            Pattern.compile("\"text\": \"((?:[^\"\\\\]|\\\\.)*+)\",\\s*\"ids\": \\[([\\s\\d,]*)]");

    private static final Pattern GREEDY =
            Pattern.compile("\"greedy_ids\": \\[([\\s\\d,]*)],\\s*\"greedy_text\": \"((?:[^\"\\\\]|\\\\.)*+)\"");

    /** A text and its ids. */
    record Pair(String text, List<Integer> idList) {
        int[] ids() {
            return idList.stream().mapToInt(Integer::intValue).toArray();
        }
    }

    private GoldenTokens() {}

    /** A file of the shared folder; the test is skipped where there is none, or fails where data is required. */
    static Path file(String name) {
        String folder = System.getProperty("tandem.testdata", "");
        Path file = Path.of(folder).resolve(name);
        boolean present = !folder.isEmpty() && Files.isRegularFile(file);
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(present, "golden data is required, but " + file + " is absent");
        }
        Assumptions.assumeTrue(present, "golden data is absent: " + file);
        return file;
    }

    static Tokenizer tokenizer(String name) throws IOException {
        try (GgufFile model = GgufFile.open(file(name))) {
            return Tokenizers.from(model);
        }
    }

    /** The strings and ids beside a vocabulary file. */
    static List<Pair> vectors(String name) throws IOException {
        String[] texts = Files.readString(file(name + ".inp")).split("\n__ggml_vocab_test__\n");
        List<String> lines = Files.readAllLines(file(name + ".out"));
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            pairs.add(new Pair(texts[i], ids(lines.get(i), " ")));
        }
        assertTrue(texts.length == lines.size(), name + ": " + texts.length + " texts, " + lines.size() + " lines");
        return pairs;
    }

    /** The prompts of a file of golden model outputs. */
    static List<Pair> prompts(String name) throws IOException {
        List<Pair> pairs = new ArrayList<>();
        Matcher matcher = PROMPT.matcher(Files.readString(file(name)));
        while (matcher.find()) {
            pairs.add(new Pair(unescaped(matcher.group(1)), ids(matcher.group(2), ",")));
        }
        return pairs;
    }

    /** The greedy continuations of a file of golden model outputs. */
    static List<Pair> continuations(String name) throws IOException {
        List<Pair> pairs = new ArrayList<>();
        Matcher matcher = GREEDY.matcher(Files.readString(file(name)));
        while (matcher.find()) {
            pairs.add(new Pair(unescaped(matcher.group(2)), ids(matcher.group(1), ",")));
        }
        return pairs;
    }

    private static List<Integer> ids(String joined, String separator) {
        return Arrays.stream(joined.split(separator))
                .map(String::strip)
                .filter(id -> !id.isEmpty())
                .map(Integer::valueOf)
                .toList();
    }

    /** The value of a JSON string; its escapes are those of Java but for {@code \/} and {@code \u005CuHHHH}. */
    private static String unescaped(String json) {
        Matcher unicode =
                Pattern.compile("(?<!\\\\)((?:\\\\\\\\)*)\\\\u([0-9a-fA-F]{4})").matcher(json);
        String plain = unicode.replaceAll(
                match -> Matcher.quoteReplacement(match.group(1) + (char) Integer.parseInt(match.group(2), 16)));
        return plain.replace("\\/", "/").translateEscapes();
    }
}
