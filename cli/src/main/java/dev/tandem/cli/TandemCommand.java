package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tandem} itself: help, version and the list of commands. */
@Command(
        name = "tandem",
        abbreviateSynopsis = true,
        header = "Runs large language models.",
        description = "%nThe same model, prompt and seed give the same text on every device.%n",
        synopsisSubcommandLabel = "COMMAND",
        commandListHeading = "%nCommands:%n",
        footerHeading = "%n")
final class TandemCommand {
    @Option(
            names = {"-V", "--version"},
            versionHelp = true,
            description = "Show the versions of tandem, of its plugin interface and of Java.")
    boolean version;

    @Mixin
    CommonOptions help = new CommonOptions();

    /** What stands below the list of commands. */
    static String[] footer() {
        List<String> lines = new ArrayList<>();
        lines.add("Exit codes:");
        for (ExitCode code : ExitCode.values()) {
            lines.add(String.format(Locale.ROOT, "%5d  %s", code.number(), code.meaning()));
        }
        lines.add("");
        lines.add("Environment:");
        for (Variables variable : Variables.values()) {
            lines.add(String.format(Locale.ROOT, "  %-16s  %s", variable, variable.meaning()));
        }
        lines.add("");
        lines.add("First steps:");
        lines.add("  tandem run \"public static int sum(int[] values) {\"");
        lines.add("  tandem doctor");
        return lines.stream().map(line -> line.replace("%", "%%")).toArray(String[]::new);
    }
}
