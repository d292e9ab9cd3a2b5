package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The first prompts of a file: JSON lines, perhaps compressed, or plain text as one prompt. */
final class BenchPrompts {
    /** Fields that data sets in use keep their prompts in. */
    private static final List<String> FIELDS = List.of("prompt", "question", "turns", "text");

    private BenchPrompts() {}

    /**
     * Reads some prompts.
     *
     * @param file {@code .jsonl}, {@code .jsonl.gz} or text
     * @param limit most prompts
     * @throws UsageException where it cannot be read or holds none
     */
    static List<String> read(Path file, int limit) {
        String name = file.toString();
        try {
            if (!name.endsWith(".jsonl") && !name.endsWith(".jsonl.gz")) {
                return List.of(Files.readString(file));
            }
            try (InputStream raw = Files.newInputStream(file);
                    InputStream in = name.endsWith(".gz") ? new GZIPInputStream(raw) : raw;
                    BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                return lines(file, reader, limit);
            }
        } catch (IOException e) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, file + ": " + e.getMessage(), "Check the file.", e);
        }
    }

    private static List<String> lines(Path file, BufferedReader reader, int limit) throws IOException {
        List<String> prompts = new ArrayList<>();
        int number = 0;
        for (String line = reader.readLine(); line != null && prompts.size() < limit; line = reader.readLine()) {
            number++;
            if (!line.isBlank()) {
                prompts.add(prompt(file, number, line));
            }
        }
        if (prompts.isEmpty()) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, file + " holds no prompt", "Give another file.");
        }
        return prompts;
    }

    private static String prompt(Path file, int number, String line) {
        try {
            JsonNode object = JsonMapper.shared().readTree(line);
            for (String field : FIELDS) {
                JsonNode value = object.get(field);
                if (value != null && value.isArray() && !value.isEmpty()) {
                    value = value.get(0);
                }
                if (value != null && value.isString()) {
                    return value.asString();
                }
            }
        } catch (JacksonException e) {
            throw bad(file, number, "no JSON object");
        }
        throw bad(file, number, "none of the fields " + String.join(", ", FIELDS));
    }

    private static UsageException bad(Path file, int number, String what) {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT, file + ", line " + number + ": " + what, "Give a file of JSON lines.");
    }
}
