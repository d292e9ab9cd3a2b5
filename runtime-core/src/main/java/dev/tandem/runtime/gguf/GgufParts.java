package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Maps a file, or all files of a split model, and checks that the parts belong together. */
final class GgufParts {
    private static final Pattern PART_NAME = Pattern.compile("(.+)-(\\d{5})-of-(\\d{5})\\.gguf");
    private static final String NUMBER_KEY = "split.no";
    private static final String COUNT_KEY = "split.count";
    private static final String TENSORS_KEY = "split.tensors.count";

    /** A mapped part with its checked header. */
    record Mapped(Path path, MemorySegment segment, GgufPart part) {
        long splitValue(String key, long absent) {
            return part.metadata().integer(key).orElse(absent);
        }
    }

    private GgufParts() {}

    /**
     * Maps and checks everything that belongs to a model.
     *
     * @param first the file, or the first file of a split model
     * @param arena owns the mappings
     * @return all parts in order, at least one
     */
    static List<Mapped> map(Path first, Arena arena) {
        Mapped head = mapOne(first, arena);
        long count = head.splitValue(COUNT_KEY, 1);
        checkFirst(head, count);
        List<Mapped> parts = new ArrayList<>();
        parts.add(head);
        for (long number = 2; number <= count; number++) {
            Path path = sibling(head, number, count);
            if (Files.notExists(path)) {
                throw new ModelFileException(
                        ErrorCode.FILE_UNREADABLE,
                        path + ": part " + number + " of " + count + " of a split model is missing",
                        "Put all parts into one folder.");
            }
            Mapped part = mapOne(path, arena);
            checkFollower(part, number, count);
            parts.add(part);
        }
        checkTensorCount(parts);
        return parts;
    }

    /** A model in one file has no split keys, or a count of 1, or of 0 where its parts were merged. */
    private static void checkFirst(Mapped head, long count) {
        long number = head.splitValue(NUMBER_KEY, 0);
        if (number != 0) {
            throw new ModelFileException(
                    ErrorCode.FILE_FORMAT,
                    message(head, NUMBER_KEY, "this is part " + (number + 1) + " of " + count + " of a split model"),
                    "Open the first part" + firstName(head.path()) + "; the others are found beside it.");
        }
        Matcher name = PART_NAME.matcher(fileName(head.path()));
        if (count > 1
                && !(name.matches()
                        && name.group(2).equals(digits(1))
                        && name.group(3).equals(digits(count)))) {
            String suffix = "-" + digits(1) + "-of-" + digits(count) + ".gguf";
            throw new ModelFileException(
                    ErrorCode.FILE_FORMAT,
                    message(head, COUNT_KEY, "this is part 1 of " + count + ", but its name does not end in " + suffix),
                    "Give the parts their original names.");
        }
    }

    private static void checkFollower(Mapped part, long number, long count) {
        checkEqual(part, NUMBER_KEY, part.splitValue(NUMBER_KEY, -1), number - 1);
        checkEqual(part, COUNT_KEY, part.splitValue(COUNT_KEY, -1), count);
    }

    /** The first part must know the number of tensors; the others may. */
    private static void checkTensorCount(List<Mapped> parts) {
        if (parts.size() == 1) {
            return;
        }
        long found = parts.stream()
                .mapToLong(mapped -> mapped.part().tensors().size())
                .sum();
        long absent = -1;
        for (Mapped part : parts) {
            checkEqual(part, TENSORS_KEY, part.splitValue(TENSORS_KEY, absent), found);
            absent = found;
        }
    }

    private static void checkEqual(Mapped part, String key, long value, long expected) {
        if (value != expected) {
            String is = value < 0 ? "key is absent" : "value is " + value;
            throw new ModelFileException(
                    ErrorCode.FILE_CORRUPT,
                    message(part, key, is + " where " + expected + " is needed here"),
                    "Put parts of one and the same model side by side.");
        }
    }

    private static String message(Mapped part, String key, String detail) {
        return part.path() + ": metadata key '" + key + "': " + detail;
    }

    private static Path sibling(Mapped head, long number, long count) {
        String first = fileName(head.path());
        String suffix = "-" + digits(1) + "-of-" + digits(count) + ".gguf";
        String stem = first.substring(0, first.length() - suffix.length());
        return head.path().resolveSibling(stem + "-" + digits(number) + "-of-" + digits(count) + ".gguf");
    }

    private static String firstName(Path path) {
        Matcher name = PART_NAME.matcher(fileName(path));
        return name.matches() ? ", " + name.group(1) + "-" + digits(1) + "-of-" + name.group(3) + ".gguf" : "";
    }

    private static String fileName(Path path) {
        return path.getNameCount() == 0 ? "" : path.getFileName().toString();
    }

    private static String digits(long number) {
        return String.format(Locale.ROOT, "%05d", number);
    }

    private static Mapped mapOne(Path path, Arena arena) {
        checkRegular(path);
        MemorySegment segment;
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            long size = channel.size();
            if (size == 0) {
                throw new ModelFileException(ErrorCode.FILE_FORMAT, path + ": header: the file is empty");
            }
            segment = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
        } catch (AccessDeniedException e) {
            throw unreadable(path + ": no permission to read the file", e);
        } catch (IOException e) {
            throw unreadable(path + ": the file cannot be read: " + e.getMessage(), e);
        }
        return new Mapped(path, segment, GgufParser.parse(segment, path.toString()));
    }

    private static ModelFileException unreadable(String message, IOException cause) {
        return new ModelFileException(ErrorCode.FILE_UNREADABLE, message, null, cause);
    }

    /** Keeps away from folders, and from pipes and devices, where opening could wait for ever. */
    private static void checkRegular(Path path) {
        if (Files.notExists(path)) {
            throw new ModelFileException(ErrorCode.FILE_UNREADABLE, path + ": no such file");
        }
        if (Files.isDirectory(path)) {
            throw new ModelFileException(
                    ErrorCode.FILE_UNREADABLE,
                    path + ": this is a directory, not a model file",
                    "Give the path of a .gguf file.");
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new ModelFileException(ErrorCode.FILE_UNREADABLE, path + ": this is no regular file");
        }
    }
}
