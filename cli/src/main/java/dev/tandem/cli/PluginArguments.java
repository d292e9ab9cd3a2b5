package dev.tandem.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Where to look for plugins. */
final class PluginArguments {
    static final String DESCRIPTION =
            "Search this folder for plugins too, before all others. May be given several times.";

    @Option(names = "--plugins", paramLabel = "DIR", description = DESCRIPTION)
    List<Path> directories = new ArrayList<>();
}
