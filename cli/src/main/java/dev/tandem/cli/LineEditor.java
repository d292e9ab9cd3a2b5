package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.jline.keymap.KeyMap;
import org.jline.reader.Binding;
import org.jline.reader.Candidate;
import org.jline.reader.CompletingParsedLine;
import org.jline.reader.EOFError;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.Reference;
import org.jline.reader.UserInterruptException;
import org.jline.terminal.Attributes;
import org.jline.terminal.Terminal.Signal;
import org.jline.terminal.TerminalBuilder;
import org.jline.utils.Signals;
import org.jspecify.annotations.Nullable;

/** Messages typed at a terminal: line editing, history and completion. The only class that uses JLine. */
final class LineEditor implements ChatInput {
    private static final int MAX_HISTORY = 2000;
    private static final String NEW_LINE = "new-line-in-message";

    private final org.jline.terminal.Terminal terminal;
    private final LineReader reader;
    private final Interruption interruption;
    private volatile boolean stopped;
    private @Nullable Attributes typing;

    private LineEditor(org.jline.terminal.Terminal terminal, LineReader reader, Interruption interruption) {
        this.terminal = terminal;
        this.reader = reader;
        this.interruption = interruption;
        terminal.handle(Signal.INT, signal -> stopped = true);
        if (terminal.getType().startsWith(org.jline.terminal.Terminal.TYPE_DUMB)) {
            // JLine leaves the signals of a dumb terminal to Java, which would end the process.
            Signals.register("INT", () -> terminal.raise(Signal.INT));
        }
    }

    /**
     * Takes over the terminal.
     *
     * @param history where earlier messages are kept; empty to keep none
     * @param interruption the wish to end the process
     * @throws UsageException where there is no terminal that can be used
     */
    static LineEditor open(Optional<Path> history, Interruption interruption) {
        org.jline.terminal.Terminal terminal;
        try {
            terminal = TerminalBuilder.builder()
                    .name("tandem")
                    .system(true)
                    .dumb(true)
                    .build();
        } catch (IOException | IllegalStateException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "the terminal cannot be used: " + e.getMessage(),
                    "Give one message with -p TEXT, or through a pipe.",
                    e);
        }
        LineReaderBuilder builder = LineReaderBuilder.builder()
                .terminal(terminal)
                .appName("tandem")
                .parser(LineEditor::parse)
                .completer((reader, line, candidates) -> complete(line, candidates))
                .variable(LineReader.SECONDARY_PROMPT_PATTERN, "  ")
                .variable(LineReader.HISTORY_FILE_SIZE, MAX_HISTORY)
                // An exclamation mark is one.
                .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true);
        history.ifPresent(file -> builder.variable(LineReader.HISTORY_FILE, file));
        LineReader reader = builder.build();
        reader.getWidgets().put(NEW_LINE, () -> {
            reader.getBuffer().write('\n');
            return true;
        });
        KeyMap<Binding> keys = Objects.requireNonNull(reader.getKeyMaps().get(LineReader.MAIN));
        keys.bind(new Reference(NEW_LINE), KeyMap.alt("\r"), KeyMap.alt("\n"));
        // The keys of a dumb terminal lack this one, by which Ctrl-D leaves.
        keys.bind(new Reference(LineReader.DELETE_CHAR_OR_LIST), KeyMap.ctrl('D'));
        return new LineEditor(terminal, reader, interruption);
    }

    private static ParsedLine parse(String line, int cursor, Parser.ParseContext context) {
        if (context == Parser.ParseContext.ACCEPT_LINE && MessageLines.isOpen(line)) {
            throw new EOFError(-1, -1, "the message goes on");
        }
        return new Typed(line, cursor);
    }

    /** A line as one word: commands are completed from their beginning. */
    private record Typed(String line, int cursor) implements CompletingParsedLine {
        @Override
        public String word() {
            return line;
        }

        @Override
        public int wordCursor() {
            return cursor;
        }

        @Override
        public int wordIndex() {
            return 0;
        }

        @Override
        public CharSequence escape(CharSequence candidate, boolean complete) {
            return candidate;
        }

        @Override
        public int rawWordCursor() {
            return cursor;
        }

        @Override
        public int rawWordLength() {
            return line.length();
        }

        @Override
        public List<String> words() {
            return List.of(line);
        }
    }

    private static void complete(ParsedLine line, List<Candidate> candidates) {
        if (!SlashCommand.isCommand(line.line())) {
            return;
        }
        SlashCommand.allTyped().forEach(name -> candidates.add(new Candidate(name)));
        for (Thinking value : Thinking.values()) {
            candidates.add(new Candidate(
                    SlashCommand.THINK.typed() + " " + value.name().toLowerCase(Locale.ROOT)));
        }
    }

    @Override
    public Optional<String> next() {
        while (!interruption.isRequested()) {
            try {
                return Optional.of(MessageLines.message(reader.readLine("> ")));
            } catch (UserInterruptException e) {
                if (e.getPartialLine().isBlank()) {
                    return Optional.empty();
                }
            } catch (EndOfFileException e) {
                return Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** What is typed during an answer is kept for the next message, but not shown in the middle of it. */
    @Override
    public BooleanSupplier answering() {
        stopped = false;
        Attributes before = terminal.getAttributes();
        Attributes silent = new Attributes(before);
        silent.setLocalFlag(Attributes.LocalFlag.ECHO, false);
        terminal.setAttributes(silent);
        typing = before;
        return () -> stopped || interruption.isRequested();
    }

    @Override
    public void answered() {
        Attributes before = typing;
        if (before != null) {
            typing = null;
            terminal.setAttributes(before);
        }
    }

    @Override
    public void close() {
        try {
            answered();
            reader.getHistory().save();
            terminal.close();
        } catch (IOException ignored) {
            // Only the history is lost.
            return;
        }
    }
}
