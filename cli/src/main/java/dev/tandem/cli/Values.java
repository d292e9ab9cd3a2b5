package dev.tandem.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the values of options; what does not fit is named in words that are not Java's. */
final class Values {
    private Values() {}

    /** A number, also {@code inf} and {@code -inf}; each option says which it accepts. */
    static Float real(String text) {
        return switch (text) {
            case "inf", "+inf" -> Float.POSITIVE_INFINITY;
            case "-inf" -> Float.NEGATIVE_INFINITY;
            default -> {
                // Java would also accept a type suffix and hexadecimal notation.
                if (!text.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")) {
                    throw new TypeConversionException("'" + text + "' is not a number");
                }
                yield Float.valueOf(text);
            }
        };
    }

    /** A whole number of 32 bits. */
    static Integer integer(String text) {
        return Math.toIntExact(whole(text, Integer.MIN_VALUE, Integer.MAX_VALUE));
    }

    /** A whole number of 64 bits. */
    static Long longInteger(String text) {
        return whole(text, Long.MIN_VALUE, Long.MAX_VALUE);
    }

    private static long whole(String text, long least, long most) {
        if (!text.matches("[+-]?[0-9]+")) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
        try {
            long value = Long.parseLong(text);
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw tooLarge(text, least, most);
        }
        throw tooLarge(text, least, most);
    }

    private static TypeConversionException tooLarge(String text, long least, long most) {
        return new TypeConversionException("'" + text + "' is not in " + least + ".." + most);
    }

    /** One of a few words, in any case. */
    static <E extends Enum<E>> ITypeConverter<E> oneOf(E[] values) {
        return text -> Arrays.stream(values)
                .filter(value -> value.name().equalsIgnoreCase(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + text + "' is not one of "
                        + Arrays.stream(values)
                                .map(value -> value.name().toLowerCase(Locale.ROOT))
                                .collect(Collectors.joining(", "))));
    }
}
