package dev.tandem.runtime.chat.jinja;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a value is written in a field: Python's format specification.
 *
 * @param fill the character that pads
 * @param align one of {@code < > ^ =}; a space where it depends on the value
 * @param sign one of {@code + -} and space
 * @param alternate whether numbers show their base
 * @param width at least
 * @param grouping the separator of thousands, or empty
 * @param precision negative where none is given
 * @param type a letter; a space where it depends on the value
 */
record FormatSpec(
        String fill, char align, char sign, boolean alternate, int width, String grouping, int precision, char type) {
    static final int MOST_PRECISION = 1000;

    private static final Pattern SYNTAX = Pattern.compile(
            "(?:(.)?([<>=^]))?([-+ ])?z?(#)?(0)?(\\d{1,8})?([,_])?(?:\\.(\\d{1,8}))?([bcdeEfFgGnosxX%])?",
            Pattern.DOTALL);

    static FormatSpec parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw TemplateError.runtime("'" + text + "' is no valid format");
        }
        boolean zero = matcher.group(5) != null;
        String fill = matcher.group(1);
        String align = matcher.group(2);
        return new FormatSpec(
                fill != null ? fill : zero && align == null ? "0" : " ",
                align != null ? align.charAt(0) : zero ? '=' : ' ',
                matcher.group(3) == null ? '-' : matcher.group(3).charAt(0),
                matcher.group(4) != null,
                matcher.group(6) == null ? 0 : Integer.parseInt(matcher.group(6)),
                matcher.group(7) == null ? "" : matcher.group(7),
                matcher.group(8) == null ? -1 : Integer.parseInt(matcher.group(8)),
                matcher.group(9) == null ? ' ' : matcher.group(9).charAt(0));
    }

    /** The same for a number of another kind. */
    FormatSpec as(char otherType) {
        return new FormatSpec(fill, align, sign, alternate, width, grouping, -1, otherType);
    }

    /** The same for a text, which is padded with spaces. */
    FormatSpec asText() {
        return new FormatSpec(" ", align == '=' ? '>' : align, sign, alternate, width, grouping, precision, 's');
    }

    String format(Run run, Object value) {
        if (precision > MOST_PRECISION) {
            throw TemplateError.limit("a format asks for more than " + MOST_PRECISION + " digits");
        }
        boolean plainFlag = value instanceof Boolean && type == ' ';
        if (!Numbers.isNumber(value) || plainFlag || type == 's') {
            String text = Text.of(run, value);
            if (precision >= 0 && precision < Values.length(text)) {
                text = text.substring(0, text.offsetByCodePoints(0, precision));
            }
            return padded(run, "", text, align == ' ' || align == '=' ? '<' : align);
        }
        boolean real = value instanceof Double || "eEfFgG%".indexOf(type) >= 0;
        return real ? real(run, Numbers.real(value)) : whole(run, Numbers.big(value));
    }

    private String whole(Run run, BigInteger value) {
        BigInteger size = value.abs();
        String digits = switch (type) {
            case 'b' -> size.toString(2);
            case 'o' -> size.toString(8);
            case 'x' -> size.toString(16);
            case 'X' -> size.toString(16).toUpperCase(Locale.ROOT);
            case 'c' -> character(value);
            default -> grouped(size.toString());
        };
        String prefix = alternate && "boxX".indexOf(type) >= 0 ? "0" + type : "";
        return padded(run, signOf(value.signum() < 0) + prefix, digits, align == ' ' ? '>' : align);
    }

    private static String character(BigInteger value) {
        if (value.signum() < 0 || value.bitLength() > 21 || value.intValue() > Character.MAX_CODE_POINT) {
            throw TemplateError.runtime("a format needs the code of a character, not " + value);
        }
        return Character.toString(value.intValue());
    }

    private String real(Run run, double value) {
        boolean negative = value < 0 || value == 0 && 1 / value < 0;
        double size = Math.abs(value);
        String text;
        if (Double.isNaN(size) || Double.isInfinite(size)) {
            text = Double.isNaN(size) ? "nan" : "inf";
        } else {
            text = switch (type) {
                case 'f', 'F' -> fixed(size, precision < 0 ? 6 : precision);
                case '%' -> fixed(size * 100, precision < 0 ? 6 : precision) + "%";
                case 'e', 'E' -> scientific(size, precision < 0 ? 6 : precision);
                case 'g', 'G' -> general(size, precision < 0 ? 6 : Math.max(1, precision), false);
                default -> precision < 0 ? Text.of(size) : general(size, Math.max(1, precision), true);
            };
        }
        String cased = type == 'E' || type == 'G' || type == 'F' ? text.toUpperCase(Locale.ROOT) : text;
        return padded(run, signOf(negative), grouped(cased), align == ' ' ? '>' : align);
    }

    private static String fixed(double value, int digits) {
        return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN).toPlainString();
    }

    private static String scientific(double value, int digits) {
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits + 1, RoundingMode.HALF_EVEN));
        String unscaled = rounded.unscaledValue().toString();
        int exponent = value == 0 ? 0 : unscaled.length() - 1 - rounded.scale();
        String padded = unscaled + "0".repeat(Math.max(0, digits + 1 - unscaled.length()));
        String mantissa = padded.charAt(0) + (digits > 0 ? "." + padded.substring(1, digits + 1) : "");
        String size = Math.abs(exponent) < 10 ? "0" + Math.abs(exponent) : "" + Math.abs(exponent);
        return mantissa + "e" + (exponent < 0 ? "-" : "+") + size;
    }

    /** The shorter of both forms, without zeros at the end; with one digit behind the point where asked. */
    private static String general(double value, int digits, boolean keepPoint) {
        String scientific = scientific(value, digits - 1);
        int e = scientific.indexOf('e');
        int exponent = Integer.parseInt(scientific.substring(e + 1));
        if (exponent < -4 || exponent >= (keepPoint ? Math.max(1, digits - 1) : digits)) {
            return stripZeros(scientific.substring(0, e)) + scientific.substring(e);
        }
        String fixed = stripZeros(fixed(value, Math.max(0, digits - 1 - exponent)));
        return keepPoint && !fixed.contains(".") ? fixed + ".0" : fixed;
    }

    private static String stripZeros(String number) {
        if (!number.contains(".")) {
            return number;
        }
        int end = number.length();
        while (number.charAt(end - 1) == '0') {
            end--;
        }
        return number.substring(0, number.charAt(end - 1) == '.' ? end - 1 : end);
    }

    private String grouped(String number) {
        int whole = 0;
        while (whole < number.length() && Chars.isDigit(number.charAt(whole))) {
            whole++;
        }
        if (grouping.isEmpty() || whole == 0) {
            return number;
        }
        StringBuilder result = new StringBuilder(number);
        for (int i = whole - 3; i > 0; i -= 3) {
            result.insert(i, grouping);
        }
        return result.toString();
    }

    private String signOf(boolean negative) {
        return negative ? "-" : sign == '-' ? "" : String.valueOf(sign);
    }

    private String padded(Run run, String prefix, String text, char side) {
        long missing = width - Values.length(text) - prefix.length();
        run.budget().make(text.length() + Math.max(0, missing) * fill.length() + prefix.length());
        if (missing <= 0) {
            return prefix + text;
        }
        int left = switch (side) {
            case '<' -> 0;
            case '^' -> (int) missing / 2;
            default -> (int) missing;
        };
        String before = fill.repeat(left);
        String after = fill.repeat((int) missing - left);
        return (side == '=' ? prefix + before : before + prefix) + text + after;
    }
}
