package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.Model;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.spi.backend.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An engine with one model, opened as the command line says, with progress and notices on standard error. */
final class LoadedModel implements AutoCloseable {
    private static final int EXPLAIN_INDENT = 4;

    private final Engine engine;
    private final Model model;

    private LoadedModel(Engine engine, Model model) {
        this.engine = engine;
        this.model = model;
    }

    /**
     * Loads.
     *
     * @throws dev.tandem.spi.InferenceException where that fails
     */
    static LoadedModel open(Context context, ModelArguments arguments) {
        Console console = context.console();
        // Wrong numbers are told before anything is opened.
        arguments.toOptions(bytes -> {});
        Path file = arguments.choice.file(context.installation());
        Engine engine = Engine.open(context.installation().engineOptions(arguments.pluginDirectories));
        try {
            engine.plugins().report().notices().forEach(console::warn);
            return new LoadedModel(engine, load(engine, console, file, arguments));
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    private static Model load(Engine engine, Console console, Path file, ModelArguments arguments) {
        Model model;
        try (Progress progress = Progress.start(console, "loading " + name(file), size(file))) {
            ModelOptions options = arguments.toOptions(progress::at);
            model = engine.load(file, options);
        }
        model.notices().forEach(console::warn);
        model.tokenizer().notes().forEach(console::warn);
        if (!model.backend()
                .line()
                .equals("backend: " + model.backend().backend().id())) {
            console.say("tandem: " + model.backend().line());
        }
        if (!model.fallbacks().isEmpty()) {
            console.warn(Text.plural(model.fallbacks().size(), "operation")
                    + " cannot run on this backend and run on the CPU; --verbose lists them");
        }
        return model;
    }

    private static String name(Path file) {
        Path last = file.getFileName();
        return Text.oneLine(last == null ? file.toString() : last.toString());
    }

    /** The amount of work; of a split model only the sum over its parts would be, and they are not known yet. */
    private static long size(Path file) {
        try {
            return name(file).matches(".*-[0-9]{5}-of-[0-9]{5}\\.gguf") ? 0 : Files.size(file);
        } catch (IOException e) {
            // Opening the file will say what is wrong with it.
            return 0;
        }
    }

    /** The model. */
    Model model() {
        return model;
    }

    /** The engine that runs it. */
    Engine engine() {
        return engine;
    }

    /** The word for the precision. */
    static String precisionName(Precision precision) {
        return precision == Precision.FAST ? "fast" : "reference";
    }

    /** Where and how the model runs, such as {@code cpu vector 256-bit, fast}. */
    String description() {
        return model.backend().backend().id() + " "
                + Text.oneLine(model.backend().device().driver()) + ", "
                + precisionName(model.options().precision());
    }

    /** Writes everything about the way the model runs to standard error. */
    void explain(Console console) {
        console.say("model " + model.file().id().file() + ", "
                + Text.plural(model.language().shape().layers(), "layer") + ", context " + model.contextRows());
        model.language().notes().forEach(note -> console.say(EXPLAIN_INDENT, note));
        console.say("on " + description() + ", loaded in " + Text.seconds(model.loadNanos()));
        model.backend().ranking().forEach(line -> console.say(EXPLAIN_INDENT, line));
        model.fallbacks().forEach(line -> console.say(EXPLAIN_INDENT, line));
    }

    @Override
    public void close() {
        model.close();
        engine.close();
    }
}
