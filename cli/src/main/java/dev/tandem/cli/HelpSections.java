package dev.tandem.cli;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * Lays out help pages: options stand under headings, and a narrow terminal gets one column.
 *
 * <p>A mixin whose name ends with a colon is a section of that name. The library's own groups are no use for that: a group
 * that occurs twice on a command line begins anew, and forgets the options of its first occurrence.
 */
final class HelpSections {
    /** The narrowest page that the library can lay out, and the widest that is good to read. */
    private static final int MIN_COLUMNS = 55;

    private static final int MAX_COLUMNS = 80;
    private static final int OPTION_INDENT = 2;
    private static final int TEXT_INDENT = 6;

    private final int columns;

    private HelpSections(int columns) {
        this.columns = columns;
    }

    /** Makes a command and all below it print help for that many columns. */
    static void install(CommandLine root, int columns) {
        HelpSections sections = new HelpSections(columns);
        Map<String, IHelpSectionRenderer> renderers = new HashMap<>(root.getHelpSectionMap());
        renderers.put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, sections::options);
        if (columns < MIN_COLUMNS) {
            renderers.put(
                    UsageMessageSpec.SECTION_KEY_HEADER,
                    help -> sections.wrapped(usage(help).header()));
            renderers.put(
                    UsageMessageSpec.SECTION_KEY_DESCRIPTION,
                    help -> sections.wrapped(usage(help).description()));
            renderers.put(
                    UsageMessageSpec.SECTION_KEY_FOOTER,
                    help -> sections.wrapped(usage(help).footer()));
            renderers.put(UsageMessageSpec.SECTION_KEY_PARAMETER_LIST, sections::parameters);
            renderers.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, sections::commands);
        }
        root.setHelpSectionMap(renderers);
        root.setUsageHelpWidth(Math.clamp(columns, MIN_COLUMNS, MAX_COLUMNS));
    }

    private static UsageMessageSpec usage(Help help) {
        return help.commandSpec().usageMessage();
    }

    private String options(Help help) {
        List<OptionSpec> unsorted = new ArrayList<>(help.commandSpec().options());
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, CommandSpec> mixin : help.commandSpec().mixins().entrySet()) {
            if (mixin.getKey().endsWith(":")) {
                Set<String> names = mixin.getValue().optionsMap().keySet();
                List<OptionSpec> section = help.commandSpec().options().stream()
                        .filter(option -> names.contains(option.longestName()))
                        .toList();
                unsorted.removeAll(section);
                text.append('\n')
                        .append(Text.indented(mixin.getKey(), 0, columns))
                        .append(optionLines(help, section));
            }
        }
        return optionLines(help, unsorted) + text;
    }

    /** The lines of some options, aligned like those of all others. */
    private String optionLines(Help help, List<OptionSpec> options) {
        if (columns < MIN_COLUMNS) {
            StringBuilder text = new StringBuilder();
            for (OptionSpec option : options) {
                text.append(oneColumn(
                        String.join(", ", option.names())
                                + help.parameterLabelRenderer()
                                        .renderParameterLabel(
                                                option, help.colorScheme().ansi(), List.of()),
                        option));
            }
            return text.toString();
        }
        CommandSpec spec = help.commandSpec();
        Help.Layout layout = help.createDefaultLayout(spec.options(), spec.positionalParameters(), help.colorScheme());
        layout.addOptions(options, help.parameterLabelRenderer());
        return layout.toString();
    }

    private String parameters(Help help) {
        StringBuilder text = new StringBuilder();
        for (PositionalParamSpec parameter : help.commandSpec().positionalParameters()) {
            text.append(oneColumn(parameter.paramLabel(), parameter));
        }
        return text.toString();
    }

    private String oneColumn(String name, ArgSpec spec) {
        String description = String.join(" ", spec.description());
        return Text.indented(name, OPTION_INDENT, columns) + Text.indented(description, TEXT_INDENT, columns);
    }

    private String commands(Help help) {
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Help> command : new LinkedHashMap<>(help.subcommands()).entrySet()) {
            text.append(Text.indented(command.getKey(), OPTION_INDENT, columns));
            String header = command.getValue().header().strip();
            text.append(Text.indented(header, TEXT_INDENT, columns));
        }
        return text.toString();
    }

    /** Joins the lines of each paragraph and breaks them anew; indented lines stay by themselves. */
    private String wrapped(String[] section) {
        String plain = String.format(String.join("%n", section));
        StringBuilder text = new StringBuilder();
        StringBuilder paragraph = new StringBuilder();
        for (String line : plain.lines().toList()) {
            boolean joins = !line.isBlank() && !line.startsWith(" ");
            if (!joins) {
                flush(paragraph, text);
                text.append(line.isBlank() ? "\n" : Text.indented(line.strip(), OPTION_INDENT, columns));
            } else {
                paragraph.append(paragraph.isEmpty() ? "" : " ").append(line.strip());
            }
        }
        flush(paragraph, text);
        return text.toString();
    }

    private void flush(StringBuilder paragraph, StringBuilder text) {
        if (!paragraph.isEmpty()) {
            text.append(Text.indented(paragraph.toString(), 0, columns));
            paragraph.setLength(0);
        }
    }
}
