package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What can stand in a file of settings: every option that takes a value, by its long name, alone or behind a command. */
final class SettingKeys {
    private final SequencedMap<String, List<String>> commands = new TreeMap<>();
    private final Set<String> switches = new TreeSet<>();

    /** The keys of a tree of commands. */
    SettingKeys(CommandLine root) {
        for (Map.Entry<String, CommandLine> command : root.getSubcommands().entrySet()) {
            for (OptionSpec option : command.getValue().getCommandSpec().options()) {
                add(command.getKey(), option);
            }
        }
    }

    private void add(String command, OptionSpec option) {
        String key = key(option);
        if (option.arity().max() == 0) {
            switches.add(key);
            switches.add(command + "." + key);
        } else if (!option.longestName().equals(Settings.OPTION)) {
            commands.computeIfAbsent(key, k -> new ArrayList<>()).add(command);
            commands.computeIfAbsent(command + "." + key, k -> new ArrayList<>())
                    .add(command);
        }
    }

    /** The key of an option, whichever the command. */
    static String key(OptionSpec option) {
        return option.longestName().replaceFirst("^-+", "");
    }

    boolean contains(String key) {
        return commands.containsKey(key);
    }

    boolean isSwitch(String key) {
        return switches.contains(key) && !contains(key);
    }

    /** All of them. */
    Set<String> all() {
        return commands.keySet();
    }

    /** The commands that a key concerns. */
    List<String> commands(String key) {
        return commands.getOrDefault(key, List.of());
    }
}
