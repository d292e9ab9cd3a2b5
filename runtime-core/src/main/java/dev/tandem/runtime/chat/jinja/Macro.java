package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Statement.Signature;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A piece of a template that can be called. */
final class Macro implements Callable, HasAttributes {
    private final Renderer renderer;
    private final Signature signature;
    private final List<Statement> body;
    private final Scope outer;

    Macro(Renderer renderer, Signature signature, List<Statement> body, Scope outer) {
        this.renderer = renderer;
        this.signature = signature;
        this.body = body;
        this.outer = outer;
    }

    @Override
    public Object call(Arguments arguments) {
        Scope scope = new Scope(outer);
        List<String> parameters = signature.parameters();
        List<Object> positional = arguments.positional();
        Map<String, Object> named = new LinkedHashMap<>(arguments.named());
        int firstDefault = parameters.size() - signature.defaults().size();
        for (int i = 0; i < parameters.size(); i++) {
            String parameter = parameters.get(i);
            Object byName = i < positional.size() ? null : named.remove(parameter);
            Expression otherwise =
                    i < firstDefault ? null : signature.defaults().get(i - firstDefault);
            Object value = i < positional.size()
                    ? positional.get(i)
                    : byName != null ? byName : renderer.defaultOf(otherwise, parameter, scope);
            scope.set(parameter, value);
        }
        extras(positional, named, scope);
        return renderer.capture(body, scope);
    }

    /** Puts what is left over where the body reads it, and refuses what it does not read. */
    private void extras(List<Object> positional, Map<String, Object> named, Scope scope) {
        if (signature.usesCaller()) {
            Object caller = named.remove("caller");
            scope.set("caller", caller == null ? new Undefined("'caller' is undefined: no call block") : caller);
        }
        int most = signature.parameters().size();
        if (signature.usesKwargs()) {
            Dict kwargs = new Dict();
            named.forEach(kwargs::put);
            scope.set("kwargs", kwargs);
        } else if (!named.isEmpty()) {
            throw TemplateError.runtime("the macro '" + signature.name() + "' takes no argument '"
                    + named.keySet().iterator().next() + "'");
        }
        if (signature.usesVarargs()) {
            scope.set("varargs", new Tuple(positional.subList(Math.min(most, positional.size()), positional.size())));
        } else if (positional.size() > most) {
            throw TemplateError.runtime("the macro '" + signature.name() + "' takes at most " + most
                    + " arguments, not " + positional.size());
        }
    }

    @Override
    public @Nullable Object attribute(String name) {
        return switch (name) {
            case "name" -> signature.name();
            case "arguments" -> new Tuple(new ArrayList<>(signature.parameters()));
            case "catch_kwargs" -> signature.usesKwargs();
            case "catch_varargs" -> signature.usesVarargs();
            case "caller" -> signature.usesCaller();
            default -> null;
        };
    }

    @Override
    public String toString() {
        return "<Macro '" + signature.name() + "'>";
    }
}
