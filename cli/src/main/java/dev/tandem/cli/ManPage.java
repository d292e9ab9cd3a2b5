package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * A manual page in the man(7) language, from what a command says of itself. The headings of its options are those of its help
 * page ({@link HelpSections}).
 */
final class ManPage {
    private final CommandSpec spec;
    private final StringBuilder page = new StringBuilder();

    ManPage(CommandSpec spec) {
        this.spec = spec;
    }

    /** The page. */
    String render() {
        String name = spec.qualifiedName("-");
        // No date: equal sources give equal pages.
        page.append(".TH \"")
                .append(escaped(name.toUpperCase(Locale.ROOT)))
                .append("\" 1 \"\" \"tandem ")
                .append(escaped(Version.build()))
                .append("\" \"Tandem\"\n.nh\n.ad l\n");
        section("NAME");
        text(name + " - " + String.join(" ", spec.usageMessage().header()).replaceFirst("\\.$", ""));
        section("SYNOPSIS");
        synopsis();
        if (spec.usageMessage().description().length > 0) {
            section("DESCRIPTION");
            blocks(spec.usageMessage().description());
        }
        commands();
        options();
        if (spec.parent() == null) {
            exitCodesAndVariables();
        } else if (spec.usageMessage().footer().length > 0) {
            section("EXAMPLES");
            blocks(spec.usageMessage().footer());
        }
        seeAlso();
        return page.toString();
    }

    private void section(String title) {
        page.append(".SH ").append(escaped(title)).append('\n');
    }

    private void text(String text) {
        // A line that begins with a dot or an apostrophe would be a request.
        String safe = escaped(text.strip());
        page.append(safe.startsWith(".") || safe.startsWith("'") ? "\\&" : "")
                .append(safe)
                .append('\n');
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\(rs").replace("-", "\\-").replace("\"", "\\(dq");
    }

    private void item(String term, String text) {
        page.append(".TP\n").append(escaped(term)).append('\n');
        text(text);
    }

    private void synopsis() {
        List<String> words = new ArrayList<>();
        words.add(spec.qualifiedName());
        words.add(spec.subcommands().isEmpty() ? "[OPTION]..." : "COMMAND");
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            boolean optional = parameter.arity().min() == 0;
            words.add(optional ? "[" + parameter.paramLabel() + "]" : parameter.paramLabel());
        }
        text(String.join(" ", words));
    }

    /** Paragraphs are filled; lines that are indented stay as they are. */
    private void blocks(String[] lines) {
        boolean literal = false;
        for (String line :
                String.format(Locale.ROOT, String.join("%n", lines)).strip().split("\\R", -1)) {
            boolean indented = line.startsWith("  ");
            if (indented != literal) {
                page.append(indented ? ".PP\n.nf\n" : ".fi\n");
                literal = indented;
            }
            if (line.isBlank()) {
                page.append(".PP\n");
            } else {
                text(line);
            }
        }
        page.append(literal ? ".fi\n" : "");
    }

    private void commands() {
        if (spec.subcommands().isEmpty()) {
            return;
        }
        section("COMMANDS");
        spec.subcommands()
                .forEach((name, command) -> item(
                        name,
                        String.join(" ", command.getCommandSpec().usageMessage().header())));
    }

    private void options() {
        section("OPTIONS");
        spec.positionalParameters().forEach(parameter -> item(parameter.paramLabel(), description(parameter)));
        List<OptionSpec> unsorted = new ArrayList<>(spec.options());
        StringBuilder headed = new StringBuilder();
        for (Map.Entry<String, CommandSpec> mixin : spec.mixins().entrySet()) {
            if (mixin.getKey().endsWith(":")) {
                Set<String> names = mixin.getValue().optionsMap().keySet();
                List<OptionSpec> here = spec.options().stream()
                        .filter(option -> names.contains(option.longestName()))
                        .toList();
                unsorted.removeAll(here);
                int start = page.length();
                page.append(".SS ").append(escaped(mixin.getKey())).append('\n');
                here.forEach(this::option);
                headed.append(page, start, page.length());
                page.setLength(start);
            }
        }
        unsorted.forEach(this::option);
        page.append(headed);
    }

    private void option(OptionSpec option) {
        String label = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        item(String.join(", ", option.names()) + label, description(option));
    }

    private static String description(ArgSpec argument) {
        return String.join(" ", argument.description()).replace("%%", "%");
    }

    private void exitCodesAndVariables() {
        section("EXIT STATUS");
        for (ExitCode code : ExitCode.values()) {
            item(Integer.toString(code.number()), code.meaning());
        }
        section("ENVIRONMENT");
        for (Variables variable : Variables.values()) {
            item(variable.name(), variable.meaning());
        }
        section("FILES");
        item("~/.config/tandem/" + Settings.NAME, "Defaults of options; see tandem-config(1).");
    }

    private void seeAlso() {
        section("SEE ALSO");
        if (spec.parent() != null) {
            text(spec.parent().name() + "(1)");
            return;
        }
        text(spec.subcommands().keySet().stream()
                .filter(name -> !name.equals("help"))
                .map(name -> spec.name() + "-" + name + "(1)")
                .collect(Collectors.joining(", ")));
    }
}
