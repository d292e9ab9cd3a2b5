package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Folders in which models are found by name: the name of a file without its ending, or the beginning of only one such name.
 *
 * @param folders the first one wins
 */
record ModelFolders(List<Path> folders) {
    /** The environment variable that adds folders. */
    static final String VARIABLE = "TANDEM_MODELS";

    private static final String ENDING = ".gguf";
    private static final Pattern FIRST_PART = Pattern.compile("(.+)-00001-of-\\d{5}");
    private static final Pattern LATER_PART = Pattern.compile(".+-\\d{5}-of-\\d{5}");
    private static final int MOST_NAMES = 12;

    /** Copies the list. */
    ModelFolders {
        folders = List.copyOf(folders);
    }

    /**
     * All folders that exist.
     *
     * @param named with {@code --models}
     * @throws UsageException where one of those is no folder
     */
    static ModelFolders of(List<Path> named, Installation installation) {
        List<Path> folders = new ArrayList<>();
        for (Path folder : named) {
            if (!Files.isDirectory(folder)) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "--models " + folder + (Files.exists(folder) ? " is not a folder" : " does not exist"),
                        "Give a folder that holds GGUF files, or leave --models out.");
            }
            folders.add(folder);
        }
        String variable = installation.environment().variable(VARIABLE);
        Stream.of(variable.split(Pattern.quote(File.pathSeparator)))
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .map(Path::of)
                .forEach(folders::add);
        installation.models().ifPresent(folders::add);
        return new ModelFolders(
                folders.stream().filter(Files::isDirectory).distinct().toList());
    }

    /** Every model by name, sorted; of a split one its first part. */
    Map<String, Path> models() {
        Map<String, Path> models = new LinkedHashMap<>();
        for (Path folder : folders) {
            for (Path file : sorted(folder)) {
                String name = String.valueOf(file.getFileName());
                String stem = name.substring(0, name.length() - ENDING.length());
                Matcher first = FIRST_PART.matcher(stem);
                if (first.matches()) {
                    models.putIfAbsent(first.group(1), file);
                } else if (!LATER_PART.matcher(stem).matches()) {
                    models.putIfAbsent(stem, file);
                }
            }
        }
        return models;
    }

    private static List<Path> sorted(Path folder) {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry -> entry.toString().endsWith(ENDING) && Files.isRegularFile(entry))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            // An unreadable folder is an empty one here; opening a model in it will say what is wrong.
            return List.of();
        }
    }

    /**
     * The file that a user means.
     *
     * @param given a file, or a name
     * @return the file; as given where it is a path, whether or not it exists
     * @throws UsageException where several models have names that begin so
     * @throws ModelFileException where there is no such model
     */
    Path resolve(Path given) {
        String name = given.toString();
        if (Files.exists(given) || given.getNameCount() != 1 || given.isAbsolute()) {
            return given;
        }
        Map<String, Path> models = models();
        String wanted = (name.endsWith(ENDING) ? name.substring(0, name.length() - ENDING.length()) : name)
                .toLowerCase(Locale.ROOT);
        List<String> matches = matches(models, wanted);
        if (matches.size() > 1) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "'" + name + "' may mean " + String.join(", ", matches),
                    "Give more of the name, or the path of a file.");
        }
        if (matches.isEmpty()) {
            throw unknown(name, wanted, models);
        }
        return models.getOrDefault(matches.getFirst(), given);
    }

    /** Names that are the wanted one, else those that begin with it; a drafter counts only where nothing else does. */
    private static List<String> matches(Map<String, Path> models, String wanted) {
        List<String> equal = models.keySet().stream()
                .filter(name -> name.toLowerCase(Locale.ROOT).equals(wanted))
                .toList();
        if (!equal.isEmpty()) {
            return equal;
        }
        List<String> begin = models.keySet().stream()
                .filter(name -> name.toLowerCase(Locale.ROOT).startsWith(wanted))
                .toList();
        return begin.size() < 2 ? begin : withoutDrafters(models, begin);
    }

    /** Those of some models that run by themselves; all where none does. */
    private static List<String> withoutDrafters(Map<String, Path> models, List<String> names) {
        List<String> run = names.stream()
                .filter(name -> canRun(models.getOrDefault(name, Path.of(name))))
                .toList();
        return run.isEmpty() ? names : run;
    }

    private static boolean canRun(Path file) {
        try (GgufFile opened = GgufFile.open(file)) {
            return Architectures.ids().contains(opened.architecture());
        } catch (ModelFileException e) {
            return false;
        }
    }

    private ModelFileException unknown(String name, String wanted, Map<String, Path> models) {
        String guess = Suggestions.nearest(wanted, models.keySet())
                .or(() -> nearBeginning(wanted, models))
                .map(near -> "; did you mean '" + near + "'?")
                .orElse("");
        String places =
                folders.isEmpty() ? ", and no model folder is known" : ", nor is there such a model in " + joined();
        List<String> listed = withoutDrafters(models, List.copyOf(models.keySet()));
        String names = listed.isEmpty()
                ? "a GGUF file"
                : "a GGUF file, or one of: "
                        + String.join(", ", listed.stream().limit(MOST_NAMES).toList())
                        + (listed.size() > MOST_NAMES ? ", …" : "");
        return new ModelFileException(
                ErrorCode.FILE_UNREADABLE,
                "the file '" + Text.oneLine(name) + "' does not exist" + places + guess,
                "Name " + names + ". More folders: --models DIR or " + VARIABLE + ".");
    }

    private String joined() {
        return String.join(", ", folders.stream().map(Path::toString).toList());
    }

    /** A model whose name begins with something near. */
    private static Optional<String> nearBeginning(String wanted, Map<String, Path> models) {
        Map<String, String> beginnings = new LinkedHashMap<>();
        for (String name : models.keySet()) {
            String lower = name.toLowerCase(Locale.ROOT);
            beginnings.putIfAbsent(lower.split("[-_.]", 2)[0], name);
            beginnings.putIfAbsent(lower.substring(0, Math.min(lower.length(), wanted.length())), name);
        }
        return Suggestions.nearest(wanted, beginnings.keySet()).map(near -> beginnings.getOrDefault(near, near));
    }
}
