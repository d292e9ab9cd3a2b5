package dev.tandem.runtime.chat.jinja;

import java.time.LocalDateTime;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The functions that every template can call. */
final class Globals {
    private Globals() {}

    /** A scope with all of them. */
    static Scope scope(Run run) {
        Scope scope = new Scope(null);
        scope.set("range", (Callable) arguments -> range(arguments));
        scope.set("dict", (Callable) arguments -> dict(run, arguments));
        scope.set("namespace", (Callable) arguments -> namespace(run, arguments));
        scope.set("cycler", (Callable) arguments -> new Cycler(arguments.positional()));
        scope.set("joiner", (Callable) arguments -> joiner(arguments));
        scope.set("raise_exception", (Callable) arguments -> {
            String message =
                    Text.of(run, arguments.bind("raise_exception", 1, "message").get(0));
            throw new TemplateError(TemplateError.Kind.RAISED, message);
        });
        scope.set("strftime_now", (Callable) arguments -> {
            String format = arguments.bind("strftime_now", 1, "format").text(0);
            return run.budget().made(Strftime.format(run, format, LocalDateTime.now(run.clock())));
        });
        return scope;
    }

    private static Object range(Arguments arguments) {
        Arguments.Bound bound = arguments.bind("range", 1, "start", "stop", "step");
        boolean one = !bound.has(1);
        return Range.of(one ? 0 : bound.integer(0), one ? bound.integer(0) : bound.integer(1), bound.integer(2, 1));
    }

    private static Dict dict(Run run, Arguments arguments) {
        if (arguments.positional().size() > 1) {
            throw TemplateError.runtime("dict() takes at most one positional argument");
        }
        Dict dict = arguments.positional().isEmpty()
                ? new Dict()
                : CollectionMethods.toDict(run, arguments.positional().getFirst());
        run.budget().elements(2L * arguments.named().size());
        arguments.named().forEach(dict::put);
        return dict;
    }

    private static Object namespace(Run run, Arguments arguments) {
        Namespace namespace = new Namespace();
        namespace.attributes().putAll(dict(run, arguments));
        return namespace;
    }

    /** Gives nothing the first time and a separator from then on. */
    private static Object joiner(Arguments arguments) {
        Object separator = arguments.bind("joiner", 0, "sep").get(0, ", ");
        boolean[] used = new boolean[1];
        return (Callable) call -> {
            Object value = used[0] ? separator : "";
            used[0] = true;
            return value;
        };
    }

    /** Gives its values in turn. */
    private static final class Cycler implements HasAttributes {
        private final List<Object> values;
        private int at;

        Cycler(List<Object> values) {
            if (values.isEmpty()) {
                throw TemplateError.runtime("cycler() needs something to choose from");
            }
            this.values = values;
        }

        @Override
        public @Nullable Object attribute(String name) {
            return switch (name) {
                case "current" -> values.get(at);
                case "next" ->
                    (Callable) arguments -> {
                        Object value = values.get(at);
                        at = (at + 1) % values.size();
                        return value;
                    };
                case "reset" ->
                    (Callable) arguments -> {
                        at = 0;
                        return None.NONE;
                    };
                default -> null;
            };
        }
    }
}
