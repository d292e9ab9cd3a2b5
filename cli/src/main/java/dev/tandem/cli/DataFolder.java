package dev.tandem.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;

/** Where a user's programs keep what belongs to the user. */
final class DataFolder {
    private DataFolder() {}

    /**
     * The folder of this program, which may not exist yet.
     *
     * @param environment of the process
     * @param system the name of the operating system, as Java gives it
     * @param home the user's home
     */
    static Path of(Map<String, String> environment, String system, Path home) {
        String name = system.toLowerCase(Locale.ROOT);
        if (name.startsWith("windows")) {
            String local = environment.getOrDefault("LOCALAPPDATA", "");
            return (local.isEmpty() ? home.resolve("AppData").resolve("Local") : Path.of(local)).resolve("tandem");
        }
        if (name.startsWith("mac")) {
            return home.resolve("Library").resolve("Application Support").resolve("tandem");
        }
        String data = environment.getOrDefault("XDG_DATA_HOME", "");
        // The convention says that a relative path does not count.
        return (data.startsWith("/") ? Path.of(data) : home.resolve(".local").resolve("share")).resolve("tandem");
    }

    /** The folder of this user, made where it is missing; others may not look into it. */
    static Path prepare() throws IOException {
        Path folder = of(System.getenv(), System.getProperty("os.name", ""), Path.of(System.getProperty("user.home")));
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
        return folder;
    }
}
