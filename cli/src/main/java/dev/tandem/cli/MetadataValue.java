package dev.tandem.cli;

import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import java.util.List;
import java.util.Optional;

/**
 * One value of a file's metadata, whatever its type.
 *
 * @param type as the file has it, such as {@code u32} or {@code string[12288]}
 * @param array whether it is an array
 * @param elements the value, or the first elements of an array: strings, numbers or booleans
 * @param count elements in all; 1 for a single value
 * @param problem why it cannot be read, where it cannot
 */
record MetadataValue(String type, boolean array, List<?> elements, int count, Optional<String> problem) {

    /** Reads the value of a key that the file has, and keeps at most that many elements. */
    static MetadataValue of(Metadata metadata, String key, int most) {
        String type = metadata.typeOf(key).orElse("");
        boolean array = type.endsWith("]");
        String element = array ? type.substring(0, type.indexOf('[')) : type;
        try {
            List<?> all = array ? elements(metadata, key, element) : List.of(single(metadata, key, element));
            return new MetadataValue(
                    type, array, List.copyOf(all.subList(0, Math.min(most, all.size()))), all.size(), Optional.empty());
        } catch (ModelFileException e) {
            return new MetadataValue(type, array, List.of(), 0, Optional.of(String.valueOf(e.getMessage())));
        }
    }

    private static Object single(Metadata metadata, String key, String type) {
        return switch (type) {
            case "string" -> metadata.text(key).orElseThrow();
            case "bool" -> metadata.flag(key).orElseThrow();
            case "f32" -> (float) (double) metadata.real(key).orElseThrow();
            case "f64" -> metadata.real(key).orElseThrow();
            default -> metadata.integer(key).orElseThrow();
        };
    }

    private static List<?> elements(Metadata metadata, String key, String type) {
        return switch (type) {
            case "string" -> metadata.texts(key).orElseThrow();
            case "f32" ->
                metadata.reals(key).orElseThrow().stream()
                        .map(value -> (float) (double) value)
                        .toList();
            case "f64" -> metadata.reals(key).orElseThrow();
            default -> metadata.integers(key).orElseThrow();
        };
    }

    /** The value on one line, abbreviated to that many characters. */
    String render(int columns) {
        if (problem.isPresent()) {
            return Text.abbreviate("(unreadable: " + Text.oneLine(problem.get()) + ")", columns);
        }
        if (!array) {
            return Text.abbreviate(Text.oneLine(String.valueOf(elements.getFirst())), columns);
        }
        StringBuilder line = new StringBuilder(count + ": ");
        for (int i = 0; i < elements.size() && line.length() < columns; i++) {
            line.append(i == 0 ? "" : ", ").append(Text.oneLine(String.valueOf(elements.get(i))));
        }
        return Text.abbreviate(line.append(elements.size() < count ? ", …" : "").toString(), columns);
    }
}
