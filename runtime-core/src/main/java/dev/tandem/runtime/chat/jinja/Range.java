package dev.tandem.runtime.chat.jinja;

import java.util.ArrayList;
import java.util.List;

/** A row of whole numbers. */
record Range(long start, long stop, long step, int size) {
    private static final int MOST = 100_000;

    static Range of(long start, long stop, long step) {
        if (step == 0) {
            throw TemplateError.runtime("range() needs a step other than 0");
        }
        // In doubles, since the difference of two longs may not fit a long; exact as far as MOST.
        double size = Math.max(0, Math.ceil(((double) stop - start) / step));
        if (size > MOST) {
            throw TemplateError.limit("a range has more than " + MOST + " elements");
        }
        return new Range(start, stop, step, (int) size);
    }

    List<Object> items() {
        List<Object> items = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            items.add(start + i * step);
        }
        return items;
    }

    /** The element at a place that exists. */
    Object at(int index) {
        return start + index * step;
    }

    @Override
    public String toString() {
        return "range(" + start + ", " + stop + (step == 1 ? "" : ", " + step) + ")";
    }
}
