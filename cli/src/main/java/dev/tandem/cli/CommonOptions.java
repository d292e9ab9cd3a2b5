package dev.tandem.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that every command has. */
final class CommonOptions {
    /** Read from the command line before anything else is: what it names gives other options their defaults. */
    @Option(
            names = Settings.OPTION,
            paramLabel = "FILE",
            description = "Take defaults of options from this file instead of the usual one; 'tandem config' shows it.")
    @Nullable
    Path config;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    boolean help;
}
