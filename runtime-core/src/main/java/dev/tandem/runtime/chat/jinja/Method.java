package dev.tandem.runtime.chat.jinja;

/** A method together with its object. */
final class Method implements Callable {
    private final Run run;
    private final Object owner;
    private final String name;
    private final Body<Object> body;

    Method(Run run, Object owner, String name, Body<?> body) {
        this.run = run;
        this.owner = owner;
        this.name = name;
        this.body = erased(body);
    }

    /** What a method does with its object, which is of the type that the method belongs to. */
    @FunctionalInterface
    interface Body<T> {
        Object apply(Run run, T owner, Arguments arguments);
    }

    @SuppressWarnings("unchecked")
    private static Body<Object> erased(Body<?> body) {
        return (Body<Object>) body;
    }

    @Override
    public Object call(Arguments arguments) {
        run.look(owner);
        return body.apply(run, owner, arguments);
    }

    @Override
    public String toString() {
        return "<method " + name + ">";
    }
}
