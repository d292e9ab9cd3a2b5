package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What can be typed into a chat besides messages. */
enum SlashCommand {
    HELP("", "this list"),
    RESET("", "forget the conversation, but not the system message"),
    SYSTEM("[TEXT]", "set the system message; - removes it, nothing shows it"),
    SAVE("FILE", "write the conversation to a JSON file"),
    LOAD("FILE", "go on with a saved conversation"),
    STATS("", "tokens, times and room in the context"),
    REGENERATE("", "answer the last message again, with the next seed"),
    THINK("on|off|auto", "whether the model thinks first, and whether that is shown"),
    EXIT("", "leave; so do Ctrl-D and, at an empty prompt, Ctrl-C");

    /** A terminal of fewer columns gets each meaning below its command. */
    private static final int TABLE_COLUMNS = 80;

    private final String parameter;
    private final String meaning;

    /**
     * A command as it was typed.
     *
     * @param command which one
     * @param argument what stands behind it, without white space around it; may be empty
     */
    record Call(SlashCommand command, String argument) {}

    SlashCommand(String parameter, String meaning) {
        this.parameter = parameter;
        this.meaning = meaning;
    }

    /** The name as it is typed, such as {@code /help}. */
    String typed() {
        return "/" + name().toLowerCase(Locale.ROOT);
    }

    /** All names as they are typed. */
    static List<String> allTyped() {
        return Arrays.stream(values()).map(SlashCommand::typed).toList();
    }

    /** Whether a line is a command: one that begins with a space is not. */
    static boolean isCommand(String line) {
        return line.startsWith("/");
    }

    /**
     * Understands a line.
     *
     * @param line begins with a slash
     * @throws UsageException where there is no such command, or its argument is missing or too much
     */
    static Call parse(String line) {
        String[] parts = line.strip().split("\\s+", 2);
        String name = parts[0].toLowerCase(Locale.ROOT);
        String argument = parts.length > 1 ? parts[1] : "";
        SlashCommand command = Arrays.stream(values())
                .filter(candidate -> candidate.typed().equals(name))
                .findFirst()
                .orElseThrow(() -> unknown(name));
        if (argument.isEmpty() && !command.parameter.isEmpty() && !command.parameter.startsWith("[")) {
            throw wrong(command, "wants " + command.parameter);
        }
        if (!argument.isEmpty() && command.parameter.isEmpty()) {
            throw wrong(command, "takes nothing behind it");
        }
        return new Call(command, argument);
    }

    private static UsageException unknown(String name) {
        String guess = Suggestions.nearest(name, allTyped())
                .map(near -> "; did you mean '" + near + "'?")
                .orElse("");
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                "unknown command '" + Text.oneLine(name) + "'" + guess,
                "/help lists all. A message that begins with a slash is typed with a space before it.");
    }

    private static UsageException wrong(SlashCommand command, String why) {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                command.typed() + " " + why,
                "Type it as: " + (command.typed() + " " + command.parameter).strip() + ".");
    }

    /** The list of {@code /help}. */
    static String help(int columns) {
        Table table = new Table();
        StringBuilder stacked = new StringBuilder();
        for (SlashCommand command : values()) {
            String usage = (command.typed() + " " + command.parameter).strip();
            table.row(usage, command.meaning);
            stacked.append(Text.indented(usage, 2, columns)).append(Text.indented(command.meaning, 6, columns));
        }
        return (columns < TABLE_COLUMNS ? stacked.toString() : table.render(2, columns))
                + Text.indented(
                        "Enter sends a message. A message of several lines: Alt-Enter begins a new line; so does Enter"
                                + " behind a backslash; and everything between \"\"\" and \"\"\" is one message. Tab"
                                + " completes commands. Ctrl-C stops an answer and keeps what there is of it.",
                        2,
                        columns);
    }
}
