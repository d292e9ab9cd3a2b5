package dev.tandem.cli;

import dev.tandem.spi.InferenceException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns failures into messages on standard error, and into exit codes. A trace is shown only for a fault of ours. */
final class ErrorReporter {
    private static final int REMEDY_INDENT = 4;
    /** Labels of parameters that are free text. */
    private static final Set<String> TEXT_LABELS = Set.of("PROMPT", "TEXT", "[PROMPT]", "[TEXT]");

    private final Console console;
    /** By message: a sentence that says where a value comes from; may be empty. */
    private final UnaryOperator<String> origin;

    ErrorReporter(Console console) {
        this(console, message -> "");
    }

    /**
     * A reporter.
     *
     * @param origin gives, for a message, a sentence that says where a value in it comes from; may be empty
     */
    ErrorReporter(Console console, UnaryOperator<String> origin) {
        this.console = console;
        this.origin = origin;
    }

    /** Reports any failure. */
    ExitCode report(Throwable failure) {
        return switch (failure) {
            case ClosedPipeException closed -> ExitCode.CLOSED_PIPE;
            case ParameterException wrong -> reportUsage(wrong);
            case InferenceException expected -> {
                say(String.valueOf(expected.getMessage()), expected.remedy());
                yield ExitCode.of(expected);
            }
            case OutOfMemoryError memory -> {
                say(
                        "Java ran out of memory: " + memory.getMessage(),
                        "Use a smaller context (--ctx), or give Java more with TANDEM_JAVA_OPTS=-Xmx4g.");
                yield ExitCode.DEVICE;
            }
            default -> reportFault(failure);
        };
    }

    private void say(String message, String remedy) {
        console.say("tandem: " + message);
        console.say(REMEDY_INDENT, remedy + origin.apply(message));
    }

    private ExitCode reportFault(Throwable failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        console.say("tandem: this is a fault of tandem, please report: " + failure);
        console.err(Version.text());
        console.err(trace.toString());
        return ExitCode.FAULT;
    }

    private ExitCode reportUsage(ParameterException wrong) {
        CommandLine command = wrong.getCommandLine();
        String help = "See '" + command.getCommandSpec().qualifiedName() + " --help'.";
        if (wrong instanceof UnmatchedArgumentException unmatched
                && !unmatched.getUnmatched().isEmpty()) {
            reportUnmatched(unmatched.getUnmatched().getFirst(), command, help);
        } else {
            // The library doubles a word in one of its messages.
            say(lowerCase(String.valueOf(wrong.getMessage())).replace("option option", "option"), help);
        }
        return ExitCode.USAGE;
    }

    private void reportUnmatched(String argument, CommandLine command, String help) {
        boolean option = argument.startsWith("-") && argument.length() > 1;
        boolean parent = !command.getSubcommands().isEmpty();
        if (option) {
            String name = argument.contains("=") ? argument.substring(0, argument.indexOf('=')) : argument;
            String guess = guess(name, command.getCommandSpec().optionsMap().keySet());
            if (command.getCommandSpec().optionsMap().containsKey(name)) {
                say("'" + argument + "' stands behind '--', where nothing is an option", "Put options before '--'.");
                return;
            }
            String quoting = takesText(command) ? " A prompt that begins with a dash goes after '--'." : "";
            say("unknown option '" + name + "'" + guess, help + quoting);
        } else if (parent) {
            say(
                    "unknown command '" + argument + "'"
                            + guess(argument, command.getSubcommands().keySet()),
                    help);
        } else {
            say("unexpected argument '" + argument + "'", hint(command) + help);
        }
    }

    /** What may have been meant by an argument too much. */
    private static String hint(CommandLine command) {
        if (takesText(command)) {
            return "Put a prompt of several words in quotes. ";
        }
        boolean chats = command.getCommandSpec().optionsMap().containsKey("--prompt");
        return chats ? "Give a message with -p. " : "";
    }

    private static boolean takesText(CommandLine command) {
        return command.getCommandSpec().positionalParameters().stream()
                .anyMatch(parameter -> TEXT_LABELS.contains(parameter.paramLabel()));
    }

    private static String guess(String name, Set<String> known) {
        return Suggestions.nearest(name, known)
                .map(near -> "; did you mean '" + near + "'?")
                .orElse("");
    }

    private static String lowerCase(String message) {
        return message.isEmpty() ? message : message.substring(0, 1).toLowerCase(Locale.ROOT) + message.substring(1);
    }
}
