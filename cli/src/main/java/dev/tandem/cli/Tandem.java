package dev.tandem.cli;

import dev.tandem.runtime.ModelOptions.DeviceFailure;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;

/** The command tree, and one run of it. */
final class Tandem {
    private static final Set<String> HELP = Set.of("-h", "--help", "-V", "--version");

    private final Context context;

    Tandem(Context context) {
        this.context = context;
    }

    /**
     * Runs one command.
     *
     * @param args the command line
     * @return the exit code; every failure is reported
     */
    int run(String... args) {
        ErrorReporter errors = new ErrorReporter(context.console());
        try {
            requireReadable(args);
            Settings settings = settings(args);
            CommandLine command = commandLine(settings, List.of(args));
            if (args.length == 0) {
                HelpSections.install(command, context.console().terminal().errColumns());
                context.console().err(command.getUsageMessage(command.getColorScheme()));
                return ExitCode.USAGE.number();
            }
            return command.execute(args);
        } catch (RuntimeException | Error e) {
            return errors.report(e).number();
        }
    }

    /** The defaults; none where only help is wanted, which a wrong file must not prevent. */
    private Settings settings(String... args) {
        boolean onlyHelp = args.length == 0 || Arrays.stream(args).anyMatch(HELP::contains) || args[0].equals("help");
        if (onlyHelp) {
            return Settings.NONE;
        }
        Settings settings = Settings.read(List.of(args), context.installation().environment(), context.console());
        if (!settings.values().isEmpty()) {
            settings.check(new SettingKeys(commandLine()));
        }
        return settings;
    }

    /** Refuses arguments that Java could not read in this locale: it has put U+FFFD in place of what was typed. */
    private static void requireReadable(String[] args) {
        String encoding = System.getProperty("sun.jnu.encoding", "");
        if (!encoding.equals("UTF-8") && Arrays.stream(args).anyMatch(arg -> arg.indexOf('\uFFFD') >= 0)) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "an argument holds characters that this locale (" + encoding + ") does not have",
                    "Set LC_ALL=C.UTF-8, or put the prompt into a file and name it with --file.");
        }
    }

    /** The whole tree without defaults of the user's, for printing help. */
    CommandLine commandLine() {
        return commandLine(Settings.NONE, List.of());
    }

    private CommandLine commandLine(Settings settings, List<String> args) {
        ErrorReporter errors = new ErrorReporter(context.console(), message -> settings.origin(message, args));
        CommandLine help = new CommandLine(new HelpCommand());
        help.getCommandSpec().usageMessage().header("Show the help of a command.");
        CommandLine root = new CommandLine(new TandemCommand())
                .addSubcommand(new RunCommand(context))
                .addSubcommand(new ChatCommand(context))
                .addSubcommand(new InspectCommand(context))
                .addSubcommand(new TokenizeCommand(context))
                .addSubcommand(new LogitsCommand(context))
                .addSubcommand(new PerplexityCommand(context))
                .addSubcommand(new DraftsCommand(context))
                .addSubcommand(new BenchCommand(context))
                .addSubcommand(new DoctorCommand(context))
                .addSubcommand(new ConfigCommand(context, settings))
                .addSubcommand(new CompletionCommand(context))
                .addSubcommand(help);
        root.setDefaultValueProvider(settings);
        root.getCommandSpec().usageMessage().footer(TandemCommand.footer());
        root.getCommandSpec().version(Version.text().strip().split("\n"));
        Terminal terminal = context.console().terminal();
        PrintWriter out = context.console().outWriter();
        root.setColorScheme(CommandLine.Help.defaultColorScheme(terminal.colorsOut() ? Ansi.ON : Ansi.OFF));
        root.setOut(out);
        root.setErr(out);
        root.setUsageHelpLongOptionsMaxWidth(28);
        registerConverters(root);
        root.setParameterExceptionHandler(
                (failure, rest) -> errors.report(failure).number());
        root.setExecutionStrategy(parsed -> {
            if (asksForHelp(parsed)) {
                HelpSections.install(root, terminal.outColumns());
            }
            return new RunLast().execute(parsed);
        });
        root.setExecutionExceptionHandler(
                (failure, command, result) -> errors.report(failure).number());
        return root;
    }

    /** Whether a help page is wanted; nothing else is worth asking the terminal for its width. */
    private static boolean asksForHelp(ParseResult parsed) {
        return parsed.isUsageHelpRequested()
                || parsed.commandSpec().userObject() instanceof HelpCommand
                || parsed.hasSubcommand() && asksForHelp(parsed.subcommand());
    }

    private static void registerConverters(CommandLine root) {
        root.registerConverter(float.class, Values::real);
        root.registerConverter(Float.class, Values::real);
        root.registerConverter(int.class, Values::integer);
        root.registerConverter(Integer.class, Values::integer);
        root.registerConverter(long.class, Values::longInteger);
        root.registerConverter(ModelArguments.PrecisionName.class, Values.oneOf(ModelArguments.PrecisionName.values()));
        root.registerConverter(DeviceFailure.class, Values.oneOf(DeviceFailure.values()));
        root.registerConverter(DraftArguments.ShapeName.class, Values.oneOf(DraftArguments.ShapeName.values()));
        root.registerConverter(DraftArguments.DepthName.class, Values.oneOf(DraftArguments.DepthName.values()));
        root.registerConverter(CompletionCommand.Shell.class, Values.oneOf(CompletionCommand.Shell.values()));
        root.registerConverter(ContextPolicy.class, Values.oneOf(ContextPolicy.values()));
        root.registerConverter(Thinking.class, Values.oneOf(Thinking.values()));
        root.registerConverter(ModelArguments.KvName.class, Values.oneOf(ModelArguments.KvName.values()));
    }
}
