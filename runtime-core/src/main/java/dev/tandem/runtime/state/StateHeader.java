package dev.tandem.runtime.state;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a saved state says of itself, as lines {@code name=value} that people can read too.
 *
 * @param model name of the model's file, for messages
 * @param modelDigest of all its bytes
 * @param precision in which the state was computed
 * @param kvType element type of keys and values
 * @param spi version whose ops computed it
 * @param graphDigest of the graph that computed it
 * @param context most rows of the sequence that was saved
 * @param tokens number of tokens
 * @param chosen how many of them, at the end, were chosen and not given
 * @param rows how many of them, at the beginning, have a state
 * @param stateBytes size of the state
 * @param noteBytes size of the caller's own text
 * @param mirostat its limit after the last token, and the options that it was kept with; empty where it was off
 */
public record StateHeader(
        String model,
        String modelDigest,
        String precision,
        String kvType,
        String spi,
        String graphDigest,
        int context,
        int tokens,
        int chosen,
        int rows,
        long stateBytes,
        int noteBytes,
        String mirostat) {

    /** The lines. */
    String print() {
        StringBuilder text = new StringBuilder();
        fields().forEach((name, value) ->
                text.append(name).append('=').append(value).append('\n'));
        return text.toString();
    }

    private Map<String, Object> fields() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("model", model.replaceAll("\\p{Cntrl}", "?"));
        fields.put("model-digest", modelDigest);
        fields.put("precision", precision);
        fields.put("kv", kvType);
        fields.put("spi", spi);
        fields.put("graph-digest", graphDigest);
        fields.put("context", context);
        fields.put("tokens", tokens);
        fields.put("chosen", chosen);
        fields.put("rows", rows);
        fields.put("state-bytes", stateBytes);
        fields.put("note-bytes", noteBytes);
        fields.put("mirostat", mirostat);
        return fields;
    }

    /**
     * Reads the lines; empty where a line is missing, too much, or no number where one belongs, or numbers contradict each
     * other.
     */
    static Optional<StateHeader> parse(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        for (String line : text.split("\n", -1)) {
            int equals = line.indexOf('=');
            if (equals > 0) {
                fields.put(line.substring(0, equals), line.substring(equals + 1));
            }
        }
        try {
            StateHeader header = new StateHeader(
                    fields.getOrDefault("model", ""),
                    fields.getOrDefault("model-digest", ""),
                    fields.getOrDefault("precision", ""),
                    fields.getOrDefault("kv", ""),
                    fields.getOrDefault("spi", ""),
                    fields.getOrDefault("graph-digest", ""),
                    number(fields, "context"),
                    number(fields, "tokens"),
                    number(fields, "chosen"),
                    number(fields, "rows"),
                    Long.parseLong(fields.getOrDefault("state-bytes", "")),
                    number(fields, "note-bytes"),
                    fields.getOrDefault("mirostat", ""));
            return header.print().equals(text) && header.isConsistent() ? Optional.of(header) : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    private static int number(Map<String, String> fields, String name) {
        return Integer.parseInt(fields.getOrDefault(name, ""));
    }

    private boolean isConsistent() {
        return context >= 0
                && tokens >= 1
                && chosen >= 0
                && chosen <= tokens
                && rows >= 0
                && rows <= tokens
                && stateBytes >= 0
                && noteBytes >= 0
                && noteBytes <= StateFile.MAX_NOTE_BYTES;
    }
}
