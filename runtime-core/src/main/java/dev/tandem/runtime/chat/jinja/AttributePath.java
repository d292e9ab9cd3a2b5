package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;

/**
 * The way from an item to a value inside it, such as {@code function.name} or {@code 0}.
 *
 * @param steps names and whole numbers
 */
record AttributePath(List<Object> steps) {
    static AttributePath of(Object attribute) {
        if (!(attribute instanceof String text)) {
            return new AttributePath(List.of(attribute));
        }
        List<Object> steps = new ArrayList<>();
        for (String part : text.split("\\.", -1)) {
            boolean whole =
                    !part.isEmpty() && part.length() < 10 && part.chars().allMatch(Chars::isDigit);
            steps.add(whole ? (Object) Long.valueOf(part) : part);
        }
        return new AttributePath(steps);
    }

    Object of(Run run, Object item) {
        Object value = item;
        for (Object step : steps) {
            run.budget().step();
            value = Access.item(run, value, step);
        }
        return value;
    }
}
