package dev.tandem.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** Where this program keeps what belongs to its user. */
final class DataFolder {
    private DataFolder() {}

    /** The folder of this user, made where it is missing; others may not look into it. */
    static Path prepare(Environment environment) throws IOException {
        Path folder = environment.dataFolder();
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            if (Files.getFileStore(folder).supportsFileAttributeView("posix")) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
            }
        }
        return folder;
    }
}
