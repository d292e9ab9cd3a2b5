package dev.tandem.runtime.chat.jinja;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A parsed template. Immutable and thread-safe. */
public final class JinjaTemplate {
    /** The longest source that is parsed, in characters. */
    public static final int MOST_CHARACTERS = 4 << 20;

    private static final int MOST_EXCERPT = 80;

    private final String name;
    private final String source;
    private final List<Statement> statements;

    private JinjaTemplate(String name, String source, List<Statement> statements) {
        this.name = name;
        this.source = source;
        this.statements = statements;
    }

    /**
     * Parses a template.
     *
     * @param name what messages call it, such as the key of the model file that holds it
     * @param source its text
     * @return the template
     * @throws ModelFileException {@link ErrorCode#MODEL_UNSUPPORTED} where the text is no valid template, with line,
     *     column and the part that is wrong
     */
    public static JinjaTemplate parse(String name, String source) {
        if (source.length() > MOST_CHARACTERS) {
            throw new ModelFileException(
                    ErrorCode.MODEL_UNSUPPORTED,
                    name + " has " + source.length() + " characters; at most " + MOST_CHARACTERS + " are accepted",
                    REMEDY);
        }
        String lines = source.replace("\r\n", "\n").replace('\r', '\n');
        String text = lines.endsWith("\n") ? lines.substring(0, lines.length() - 1) : lines;
        try {
            return new JinjaTemplate(name, text, new StatementParser(Lexer.tokens(text)).template());
        } catch (TemplateError e) {
            throw described(name, text, e);
        }
    }

    private static final String REMEDY =
            "Convert the model again with a corrected chat template, or use another template.";

    /**
     * Renders the template.
     *
     * @param variables what it can read: null, texts, flags, numbers, lists and maps, nested at will. They are copied
     * @param clock what {@code strftime_now} reads
     * @param limits what the rendering may use
     * @return the text
     * @throws UsageException {@link ErrorCode#BAD_ARGUMENT} where the template refuses its input by
     *     {@code raise_exception}
     * @throws ModelFileException {@link ErrorCode#MODEL_UNSUPPORTED} where the template does what the language forbids,
     *     or needs more than the limits
     * @throws IllegalArgumentException where a variable is of another type
     */
    public String render(Map<String, ?> variables, Clock clock, Limits limits) {
        Run run = new Run(new Budget(limits), clock);
        Scope scope = new Scope(Globals.scope(run));
        variables.forEach((variable, value) -> scope.set(variable, Values.of(value)));
        try {
            return new Renderer(run).capture(statements, scope);
        } catch (TemplateError e) {
            throw described(name, source, e);
        }
    }

    private static InferenceException described(String name, String source, TemplateError error) {
        String message = name + place(source, error.span()) + ": " + error.getMessage();
        return switch (error.kind()) {
            case SYNTAX, RUNTIME -> new ModelFileException(ErrorCode.MODEL_UNSUPPORTED, message, REMEDY);
            case LIMIT ->
                new ModelFileException(
                        ErrorCode.MODEL_UNSUPPORTED,
                        message,
                        "Check the template for endless loops, shorten the conversation, or use another template.");
            case RAISED ->
                new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "the chat template refuses the conversation: " + error.getMessage() + " (" + name
                                + place(source, error.span()) + ")",
                        "Change the messages, roles or tools as the template asks.");
        };
    }

    private static String place(String source, @Nullable Span span) {
        if (span == null) {
            return "";
        }
        String before = source.substring(0, span.start());
        int lineStart = before.lastIndexOf('\n') + 1;
        long line = before.chars().filter(c -> c == '\n').count() + 1;
        int end = Math.min(span.end(), span.start() + MOST_EXCERPT);
        String excerpt = source.substring(span.start(), end).replace('\n', ' ').strip();
        String shown = excerpt.isEmpty() ? "" : ", at '" + excerpt + (end < span.end() ? "…" : "") + "'";
        return ", line " + line + ", column " + (before.length() - lineStart + 1) + shown;
    }
}
