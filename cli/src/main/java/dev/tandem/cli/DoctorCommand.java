package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tandem doctor}: what is installed, what works, and what to do about the rest. */
@Command(
        name = "doctor",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Show every plugin and device, and what is wrong.",
        description = "%nProbes devices and loads no model. With --tokenizers, probes nothing.%n")
final class DoctorCommand implements Callable<Integer> {
    private final Context context;

    @Mixin
    PluginArguments plugins = new PluginArguments();

    @Option(names = "--strict", description = "Exit with 4 where a plugin is refused or failed to load.")
    boolean strict;

    @Option(
            names = "--tokenizers",
            description = "List the kinds of tokenizers instead, and what each was checked against.")
    boolean tokenizers;

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    CommonOptions help = new CommonOptions();

    DoctorCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        Console console = context.console();
        if (tokenizers) {
            console.out(
                    json
                            ? Json.print(TokenizerKinds.json())
                            : TokenizerKinds.text(console.terminal().outColumns()));
            return ExitCode.OK.number();
        }
        Installation installation = context.installation();
        try (Engine engine = Engine.open(installation.engineOptions(plugins.directories))) {
            Diagnosis diagnosis = Diagnosis.of(engine, installation);
            console.out(
                    json
                            ? Json.print(DoctorJson.render(diagnosis))
                            : new DoctorText(diagnosis, console.terminal().outColumns()).render());
            boolean broken = !engine.plugins().report().broken().isEmpty();
            return strict && broken ? ExitCode.PLUGIN.number() : ExitCode.OK.number();
        }
    }
}
