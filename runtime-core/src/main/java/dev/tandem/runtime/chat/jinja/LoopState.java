package dev.tandem.runtime.chat.jinja;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The variable {@code loop} of a loop. */
final class LoopState implements HasAttributes, Callable {
    private final Run run;
    private final List<Object> items;
    private final int depth;
    private final Function<Object, String> recursion;
    private int index0;
    private @Nullable Tuple lastChanged;

    LoopState(Run run, List<Object> items, int depth, Function<Object, String> recursion) {
        this.run = run;
        this.items = items;
        this.depth = depth;
        this.recursion = recursion;
    }

    void moveTo(int index) {
        index0 = index;
    }

    long length() {
        return items.size();
    }

    @Override
    public @Nullable Object attribute(String name) {
        int size = items.size();
        return switch (name) {
            case "index" -> index0 + 1L;
            case "index0" -> (long) index0;
            case "revindex" -> (long) size - index0;
            case "revindex0" -> (long) size - index0 - 1;
            case "first" -> index0 == 0;
            case "last" -> index0 == size - 1;
            case "length" -> (long) size;
            case "depth" -> (long) depth;
            case "depth0" -> depth - 1L;
            case "previtem" -> index0 == 0 ? new Undefined("there is no previous item") : items.get(index0 - 1);
            case "nextitem" -> index0 == size - 1 ? new Undefined("there is no next item") : items.get(index0 + 1);
            case "cycle" -> (Callable) this::cycle;
            case "changed" -> (Callable) this::changed;
            default -> null;
        };
    }

    private Object cycle(Arguments arguments) {
        List<Object> values = arguments.positional();
        if (values.isEmpty()) {
            throw TemplateError.runtime("loop.cycle() needs something to choose from");
        }
        return values.get(index0 % values.size());
    }

    private Object changed(Arguments arguments) {
        Tuple now = new Tuple(arguments.positional());
        boolean changed = lastChanged == null || !Comparisons.equal(run, lastChanged, now);
        lastChanged = now;
        return changed;
    }

    @Override
    public Object call(Arguments arguments) {
        return recursion.apply(arguments.bind("loop", 1, "iterable").get(0));
    }

    @Override
    public String toString() {
        return "<LoopContext " + (index0 + 1) + "/" + items.size() + ">";
    }
}
