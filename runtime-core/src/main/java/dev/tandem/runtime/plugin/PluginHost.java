package dev.tandem.runtime.plugin;

import java.io.File;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the search for plugin directories needs to know about this process.
 *
 * @param environment the environment variables
 * @param osName as in the system property {@code os.name}
 * @param userHome as in the system property {@code user.home}; empty where there is none
 * @param pathSeparator as in the system property {@code path.separator}
 * @param installation the directory that holds the installation, where it is known
 */
public record PluginHost(
        Map<String, String> environment,
        String osName,
        String userHome,
        String pathSeparator,
        Optional<Path> installation) {
    /** Copies the environment. */
    public PluginHost {
        environment = Map.copyOf(environment);
    }

    /**
     * Describes this process.
     *
     * @param installation the directory that holds the installation, where it is known
     * @return the description
     */
    public static PluginHost current(Optional<Path> installation) {
        return new PluginHost(
                System.getenv(),
                System.getProperty("os.name", ""),
                System.getProperty("user.home", ""),
                File.pathSeparator,
                installation);
    }

    /** The directory for plugins of this user, by the custom of the operating system; it need not exist. */
    public Optional<Path> userPlugins() {
        String os = osName.toLowerCase(Locale.ROOT);
        Optional<Path> data;
        if (os.startsWith("windows")) {
            data = absolute(environment.getOrDefault("APPDATA", ""));
        } else if (os.startsWith("mac")) {
            data = absolute(userHome).map(home -> home.resolve("Library").resolve("Application Support"));
        } else {
            // The XDG base directory specification asks to ignore a relative path.
            data = absolute(environment.getOrDefault("XDG_DATA_HOME", ""))
                    .or(() -> absolute(userHome)
                            .map(home -> home.resolve(".local").resolve("share")));
        }
        return data.map(place -> place.resolve("tandem").resolve("plugins"));
    }

    private static Optional<Path> absolute(String text) {
        try {
            return text.isBlank()
                    ? Optional.empty()
                    : Optional.of(Path.of(text)).filter(Path::isAbsolute);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
