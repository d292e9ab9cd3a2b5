package dev.tandem.runtime.chat.jinja;

/**
 * The value of what does not exist: empty where it is printed, tested or iterated over, and an error elsewhere.
 *
 * @param problem what does not exist
 */
record Undefined(String problem) {
    TemplateError error() {
        return TemplateError.runtime(problem);
    }

    static Undefined variable(String name) {
        return new Undefined("'" + name + "' is undefined");
    }

    static Undefined member(Object owner, Object key) {
        String what =
                key instanceof String name ? "attribute '" + shown(name) + "'" : "element " + shown(key.toString());
        if (owner == None.NONE) {
            return new Undefined("none has no " + what);
        }
        return new Undefined("a value of type " + Values.typeName(owner) + " has no " + what);
    }

    private static String shown(String name) {
        return name.length() <= 60 ? name : name.substring(0, 60) + "…";
    }
}
