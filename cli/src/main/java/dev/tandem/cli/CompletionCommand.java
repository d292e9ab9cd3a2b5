package dev.tandem.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code tandem completion}: what a shell needs to complete commands, options and their values. */
@Command(
        name = "completion",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Write a completion script for a shell.",
        description = "%nThe script completes commands, options, and values that are a few words.%n",
        footer = {
            "%nIn this shell:",
            "  source <(tandem completion bash)",
            "In every shell, the same line in:",
            "  ~/.bashrc, with zsh in ~/.zshrc"
        })
final class CompletionCommand implements Callable<Integer> {
    private static final Pattern VALUES = Pattern.compile("  local \\w+_option_args=\\((.*)\\) # (--[\\w-]+) values");
    private static final Pattern LABEL = Pattern.compile("    (?:'-\\w'\\|)?'(--[\\w-]+)'(?:\\|'[^']+')*\\)");
    private static final Pattern USE = Pattern.compile("\\$\\{\\w+_option_args\\[@]}");

    private final Context context;

    @Spec
    CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "SHELL", description = "bash or zsh.")
    @Nullable
    Shell shell;

    @Mixin
    CommonOptions common = new CommonOptions();

    /** The shells; the script for bash makes itself at home in zsh. */
    enum Shell {
        BASH,
        ZSH
    }

    CompletionCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        context.console().out(script(spec.root().commandLine()));
        return ExitCode.OK.number();
    }

    /** The script for a tree of commands. */
    static String script(CommandLine root) {
        StringBuilder script = new StringBuilder();
        String option = "";
        for (String line : AutoComplete.bash(root.getCommandName(), root).split("\n", -1)) {
            Matcher values = VALUES.matcher(line);
            Matcher label = LABEL.matcher(line);
            if (values.matches()) {
                // The library names the variable by the parameter's label, which several options share; and values are
                // constants in Java, but small letters in our help.
                script.append("  local ")
                        .append(variable(values.group(2)))
                        .append("=(")
                        .append(values.group(1).toLowerCase(Locale.ROOT))
                        .append(") # ")
                        .append(values.group(2))
                        .append(" values\n");
                continue;
            }
            if (label.matches()) {
                option = label.group(1);
            }
            boolean positional = line.contains("_pos_param_args=");
            script.append(USE.matcher(positional ? inSmallLetters(line) : line)
                            .replaceAll(Matcher.quoteReplacement("${" + variable(option) + "[@]}")))
                    .append('\n');
        }
        return script.toString();
    }

    private static String variable(String option) {
        return option.replaceFirst("^-+", "").replace('-', '_') + "_option_args";
    }

    private static String inSmallLetters(String line) {
        int values = line.indexOf('=');
        return line.substring(0, values) + line.substring(values).toLowerCase(Locale.ROOT);
    }
}
