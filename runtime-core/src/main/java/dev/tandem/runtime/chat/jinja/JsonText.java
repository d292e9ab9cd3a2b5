package dev.tandem.runtime.chat.jinja;

import java.time.Clock;
import java.util.Optional;

/** JSON that is to become a value of a template. */
public final class JsonText {
    private JsonText() {}

    /**
     * Parses a text.
     *
     * @param json any text
     * @return something that {@link JinjaTemplate#render} takes as part of a variable; empty where the text is no JSON
     */
    public static Optional<Object> parse(String json) {
        try {
            return Optional.of(JsonReader.read(new Run(new Budget(Limits.DEFAULT), Clock.systemUTC()), json));
        } catch (TemplateError e) {
            return Optional.empty();
        }
    }
}
