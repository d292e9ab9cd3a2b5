package dev.tandem.runtime.plugin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Lists the entries of plugin directories: each is one jar, or one directory of jars.
 *
 * <p>Names sort by their characters, so the order is the same on every machine. Names that end in {@code .disabled} or
 * begin with a dot are skipped, and so are plain files that are not jars. Links are followed; what two links reach is
 * listed once.
 */
final class DirectoryScan {
    private static final String JAR = ".jar";
    private static final String DISABLED = ".disabled";

    private final Set<Path> seen = new HashSet<>();

    /**
     * One entry before anything of it is read.
     *
     * @param path as found in the plugin directory
     * @param jars links resolved, sorted by name
     * @param problem why it cannot even be listed
     */
    record Entry(Path path, List<Path> jars, Optional<PluginProblem> problem) {}

    /**
     * Lists one directory.
     *
     * @throws IOException where the directory itself cannot be read
     */
    List<Entry> scan(Path directory) throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (Path path : children(directory)) {
            if (Files.isDirectory(path)) {
                add(entries, path, true);
            } else if (isJarName(path)) {
                add(entries, path, false);
            }
        }
        return entries;
    }

    private void add(List<Entry> entries, Path path, boolean folder) {
        try {
            if (seen.add(path.toRealPath())) {
                List<Path> jars = folder ? jarsOf(path) : List.of(path.toRealPath());
                entries.add(new Entry(path, jars, Optional.empty()));
            }
        } catch (IOException e) {
            String reason = Files.isSymbolicLink(path) && Files.notExists(path)
                    ? "the link leads to nothing"
                    : "cannot be read: " + Faults.describe(e);
            entries.add(new Entry(
                    path,
                    List.of(),
                    Optional.of(PluginProblem.of(reason, "check the link or the permissions, or remove it", e))));
        }
    }

    private static List<Path> jarsOf(Path folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        for (Path path : children(folder)) {
            if (isJarName(path) && !Files.isDirectory(path)) {
                jars.add(path.toRealPath());
            }
        }
        return jars;
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> children = Files.list(directory)) {
            return children.filter(DirectoryScan::isEnabled)
                    .sorted(Comparator.comparing(DirectoryScan::name))
                    .toList();
        }
    }

    private static boolean isEnabled(Path path) {
        return !name(path).endsWith(DISABLED) && !name(path).startsWith(".");
    }

    private static boolean isJarName(Path path) {
        return name(path).endsWith(JAR);
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }
}
