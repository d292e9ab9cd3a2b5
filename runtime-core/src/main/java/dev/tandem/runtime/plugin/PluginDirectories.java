package dev.tandem.runtime.plugin;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The existing plugin directories in falling rank: the option, the environment, the installation, the user's data.
 *
 * <p>The working directory is never searched unless an option names it: whoever unpacks a model archive must not thereby
 * install code. For the same reason a relative path in the environment is left out, with a notice.
 *
 * @param directories each once, the highest rank first
 * @param notices one line for each place that was named but could not be used
 */
public record PluginDirectories(List<PluginDirectory> directories, List<String> notices) {
    /** The environment variable that names plugin directories, separated as in a class path. */
    public static final String VARIABLE = "TANDEM_PLUGINS";

    /** Copies both lists. */
    public PluginDirectories {
        directories = List.copyOf(directories);
        notices = List.copyOf(notices);
    }

    /**
     * Lists the directories to search.
     *
     * @param options the directories given with {@code --plugins}, in the order given
     * @param host the environment, the home directory and the place of installation
     * @return the directories that exist
     * @throws UsageException where an option names something that is not a readable directory
     */
    public static PluginDirectories resolve(List<Path> options, PluginHost host) {
        Collector collector = new Collector();
        for (Path option : options) {
            requireDirectory(option);
            collector.add(option, PluginSource.OPTION);
        }
        fromVariable(host, collector);
        host.installation()
                .ifPresent(place -> collector.addIfPresent(place.resolve("plugins"), PluginSource.INSTALLATION));
        host.userPlugins().ifPresent(place -> collector.addIfPresent(place, PluginSource.USER_DATA));
        return new PluginDirectories(collector.directories, collector.notices);
    }

    private static void requireDirectory(Path option) {
        if (!Files.isDirectory(option)) {
            String what = Files.exists(option) ? "is not a directory" : "does not exist";
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "--plugins " + option + " " + what,
                    "Give a directory that holds plugin jars, or leave --plugins out.");
        }
        if (!Files.isReadable(option)) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "--plugins " + option + " cannot be read",
                    "Check the permissions of the directory.");
        }
    }

    private static void fromVariable(PluginHost host, Collector collector) {
        String value = host.environment().getOrDefault(VARIABLE, "");
        for (String part : value.split(Pattern.quote(host.pathSeparator()))) {
            if (part.isBlank()) {
                continue;
            }
            try {
                Path path = Path.of(part.strip());
                if (path.isAbsolute()) {
                    collector.addIfPresent(path, PluginSource.ENVIRONMENT);
                } else {
                    collector.notices.add(VARIABLE + ": '" + part.strip()
                            + "' is a relative path and was left out; make it absolute");
                }
            } catch (InvalidPathException e) {
                collector.notices.add(VARIABLE + ": '" + part.strip() + "' is not a path: " + e.getReason());
            }
        }
    }

    /** Keeps each directory once: seen twice, its plugins would override themselves. */
    private static final class Collector {
        private final List<PluginDirectory> directories = new ArrayList<>();
        private final List<String> notices = new ArrayList<>();
        private final Set<Path> seen = new HashSet<>();

        void addIfPresent(Path path, PluginSource source) {
            if (Files.isDirectory(path)) {
                add(path, source);
            }
        }

        void add(Path path, PluginSource source) {
            Path absolute = path.toAbsolutePath().normalize();
            if (seen.add(realPath(absolute))) {
                directories.add(new PluginDirectory(absolute, source));
            }
        }

        private static Path realPath(Path path) {
            try {
                return path.toRealPath();
            } catch (IOException e) {
                return path;
            }
        }
    }
}
