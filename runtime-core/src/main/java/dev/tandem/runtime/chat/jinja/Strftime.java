package dev.tandem.runtime.chat.jinja;

import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.time.temporal.IsoFields;
import java.util.Locale;

/** Dates as C's {@code strftime} writes them in English. */
final class Strftime {
    private Strftime() {}

    static String format(Run run, String format, LocalDateTime time) {
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                result.append(c);
                continue;
            }
            boolean unpadded = format.charAt(i + 1) == '-' && i + 2 < format.length();
            i += unpadded ? 2 : 1;
            String part = part(format.charAt(i), time);
            run.budget().make(part.length());
            result.append(unpadded ? withoutPadding(part) : part);
        }
        return result.toString();
    }

    private static String withoutPadding(String part) {
        int start = 0;
        while (start < part.length() - 1 && (part.charAt(start) == '0' || part.charAt(start) == ' ')) {
            start++;
        }
        return part.substring(start);
    }

    private static String part(char directive, LocalDateTime time) {
        int hour12 = (time.getHour() + 11) % 12 + 1;
        int weekday = time.getDayOfWeek().getValue();
        return switch (directive) {
            case 'a' -> time.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'A' -> time.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' -> time.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'B' -> time.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'd' -> digits(time.getDayOfMonth(), 2, '0');
            case 'e' -> digits(time.getDayOfMonth(), 2, ' ');
            case 'H' -> digits(time.getHour(), 2, '0');
            case 'k' -> digits(time.getHour(), 2, ' ');
            case 'I' -> digits(hour12, 2, '0');
            case 'l' -> digits(hour12, 2, ' ');
            case 'j' -> digits(time.getDayOfYear(), 3, '0');
            case 'm' -> digits(time.getMonthValue(), 2, '0');
            case 'M' -> digits(time.getMinute(), 2, '0');
            case 'S' -> digits(time.getSecond(), 2, '0');
            case 'f' -> digits(time.getNano() / 1000, 6, '0');
            case 'p' -> time.getHour() < 12 ? "AM" : "PM";
            case 'P' -> time.getHour() < 12 ? "am" : "pm";
            case 'u' -> digits(weekday, 1, '0');
            case 'w' -> digits(weekday % 7, 1, '0');
            case 'U' -> digits((time.getDayOfYear() + 6 - weekday % 7) / 7, 2, '0');
            case 'W' -> digits((time.getDayOfYear() + 6 - (weekday + 6) % 7) / 7, 2, '0');
            case 'V' -> digits(time.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2, '0');
            case 'G' -> digits(time.get(IsoFields.WEEK_BASED_YEAR), 4, '0');
            case 'y' -> digits(time.getYear() % 100, 2, '0');
            case 'Y' -> digits(time.getYear(), 1, '0');
            case 'C' -> digits(time.getYear() / 100, 2, '0');
            case 'z', 'Z' -> "";
            case 'n' -> "\n";
            case 't' -> "\t";
            case '%' -> "%";
            default -> composed(directive, time);
        };
    }

    private static String composed(char directive, LocalDateTime time) {
        String parts = switch (directive) {
            case 'c' -> "a b e H:M:S Y";
            case 'D', 'x' -> "m/d/y";
            case 'F' -> "Y-m-d";
            case 'r' -> "I:M:S p";
            case 'R' -> "H:M";
            case 'T', 'X' -> "H:M:S";
            default -> "";
        };
        if (parts.isEmpty()) {
            return "%" + directive;
        }
        StringBuilder result = new StringBuilder();
        for (int i = 0; i < parts.length(); i++) {
            char c = parts.charAt(i);
            result.append(Character.isLetter(c) ? part(c, time) : String.valueOf(c));
        }
        return result.toString();
    }

    private static String digits(int number, int width, char fill) {
        String digits = Integer.toString(number);
        return String.valueOf(fill).repeat(Math.max(0, width - digits.length())) + digits;
    }
}
