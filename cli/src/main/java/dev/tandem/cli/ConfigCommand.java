package dev.tandem.cli;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

/** {@code tandem config}: where defaults come from. */
@Command(
        name = "config",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Show the file of defaults in use, and what it sets.",
        description = {
            "%nThe file is that of --config, else of TANDEM_CONFIG, else tandem.properties in the user's folder of"
                    + " settings. It holds options without their dashes; what stands on the command line wins:%n",
            "  temp = 0.7",
            "  models = /data/models",
            "  chat.system = Answer in one sentence.%n"
        })
final class ConfigCommand implements Callable<Integer> {
    private static final int INDENT = 4;

    private final Context context;
    private final Settings settings;

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Option(names = "--json", description = "Write one JSON object.")
    boolean json;

    @Mixin
    CommonOptions common = new CommonOptions();

    ConfigCommand(Context context, Settings settings) {
        this.context = context;
        this.settings = settings;
    }

    @Override
    public Integer call() {
        context.console().out(json ? Json.print(object()) : text());
        return ExitCode.OK.number();
    }

    private Path usual() {
        return Settings.usualFile(context.installation().environment());
    }

    private ObjectNode object() {
        ObjectNode root = Json.object();
        root.put("file", settings.file().map(Path::toString).orElse(null));
        root.put("usual_file", usual().toString());
        ObjectNode values = root.putObject("settings");
        settings.values().forEach(values::put);
        ObjectNode variables = root.putObject("environment");
        for (Variables variable : Variables.values()) {
            String value = context.installation().environment().variable(variable.name());
            if (!value.isEmpty()) {
                variables.put(variable.name(), value);
            }
        }
        return root;
    }

    private String text() {
        int columns = context.console().terminal().outColumns();
        CommandLine root = spec.commandLine().getParent();
        SettingKeys keys = new SettingKeys(root);
        StringBuilder text = new StringBuilder();
        text.append(settings.file().map(Path::toString).orElse("no file of defaults; " + usual() + " would be read"))
                .append('\n');
        Table table = new Table();
        for (Map.Entry<String, String> setting : settings.values().entrySet()) {
            table.row(
                    Text.oneLine(setting.getKey() + " = " + setting.getValue()),
                    "for " + String.join(", ", keys.commands(setting.getKey())));
        }
        text.append(table.render(INDENT, columns)).append("environment\n");
        Table variables = new Table();
        for (Variables variable : Variables.values()) {
            String value = context.installation().environment().variable(variable.name());
            variables.row(variable.name(), value.isEmpty() ? "(not set)" : Text.oneLine(value));
        }
        return text.append(variables.render(INDENT, columns)).toString();
    }
}
