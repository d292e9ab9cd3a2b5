package dev.tandem.cli;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * What the process was given by its user's system.
 *
 * @param variables of the environment
 * @param system name of the operating system, as Java gives it
 * @param home the user's home
 */
record Environment(Map<String, String> variables, String system, Path home) {
    /** Copies the variables. */
    Environment {
        variables = Map.copyOf(variables);
    }

    /** The one of this process. */
    static Environment ofProcess() {
        return new Environment(
                System.getenv(), System.getProperty("os.name", ""), Path.of(System.getProperty("user.home", "")));
    }

    /** A variable; empty where it is not set. */
    String variable(String name) {
        return variables.getOrDefault(name, "");
    }

    /** The folder of this program's data that belong to the user; it may not exist yet. */
    Path dataFolder() {
        return folder("LOCALAPPDATA", "Local", "XDG_DATA_HOME", Path.of(".local", "share"));
    }

    /** The folder of this program's settings that belong to the user; it may not exist. */
    Path configFolder() {
        return folder("APPDATA", "Roaming", "XDG_CONFIG_HOME", Path.of(".config"));
    }

    private Path folder(String windowsVariable, String windowsFolder, String variable, Path otherwise) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            String place = variable(windowsVariable);
            Path usual = home.resolve("AppData").resolve(windowsFolder);
            return (place.isEmpty() ? usual : Path.of(place)).resolve("tandem");
        }
        if (name.startsWith("mac")) {
            return home.resolve("Library").resolve("Application Support").resolve("tandem");
        }
        String place = variable(variable);
        // The convention says that a relative path does not count.
        return (place.startsWith("/") ? Path.of(place) : home.resolve(otherwise)).resolve("tandem");
    }
}
