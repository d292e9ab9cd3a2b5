package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.SequencedMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Defaults of options, from a file of Java properties in UTF-8: {@code temp = 0.7} for every command that has the option,
 * {@code chat.temp = 0.7} for one, which wins. What stands on the command line wins over both.
 *
 * @param file where they stand; empty where there is no such file
 * @param values by key, in the file's order
 */
record Settings(Optional<Path> file, SequencedMap<String, String> values) implements IDefaultValueProvider {
    /** The option that names the file. */
    static final String OPTION = "--config";

    /** The environment variable that names the file. */
    static final String VARIABLE = "TANDEM_CONFIG";

    /** The name of the usual file. */
    static final String NAME = "tandem.properties";

    /** No settings. */
    static final Settings NONE = new Settings(Optional.empty(), new LinkedHashMap<>());

    private static final String REMEDY = "Correct it, or give another file with " + OPTION + ".";

    /** The usual file of a user. */
    static Path usualFile(Environment environment) {
        return environment.configFolder().resolve(NAME);
    }

    /**
     * Reads the file that the command line names, else that of the environment, else the usual one where it exists.
     *
     * @throws UsageException where a named file cannot be read, or a file is no properties
     */
    static Settings read(List<String> args, Environment environment, Console console) {
        Optional<String> named =
                named(args).or(() -> Optional.of(environment.variable(VARIABLE)).filter(name -> !name.isEmpty()));
        Path file = named.map(Path::of).orElseGet(() -> usualFile(environment));
        if (named.isEmpty() && !Files.exists(file)) {
            return NONE;
        }
        return new Settings(Optional.of(file), parse(file, TextInput.read(file, console)));
    }

    /** The value of {@value #OPTION}; empty also where it stands last, which the parser will complain of. */
    private static Optional<String> named(List<String> args) {
        for (int i = 0; i < args.size() && !args.get(i).equals("--"); i++) {
            if (args.get(i).equals(OPTION) && i + 1 < args.size()) {
                return Optional.of(args.get(i + 1));
            }
            if (args.get(i).startsWith(OPTION + "=")) {
                return Optional.of(args.get(i).substring(OPTION.length() + 1));
            }
        }
        return Optional.empty();
    }

    private static SequencedMap<String, String> parse(Path file, String text) {
        SequencedMap<String, String> values = new LinkedHashMap<>();
        Properties reader = new Properties() {
            private static final long serialVersionUID = 1L;

            @Override
            public synchronized @Nullable Object put(Object key, Object value) {
                if (values.put(key.toString(), value.toString().strip()) != null) {
                    throw wrong(file, "sets " + key + " twice", null);
                }
                return null;
            }
        };
        try {
            reader.load(new StringReader(text));
        } catch (IllegalArgumentException e) {
            throw wrong(file, "has a \\u that four hexadecimal digits do not follow", e);
        } catch (IOException e) {
            throw new UncheckedIOException("a text in memory cannot fail", e);
        }
        return values;
    }

    /**
     * Makes sure that every key is that of an option.
     *
     * @throws UsageException where one is not, or is a switch, which no option could take back
     */
    void check(SettingKeys known) {
        Path place = file.orElse(Path.of(NAME));
        for (String key : values.keySet()) {
            if (known.isSwitch(key)) {
                throw wrong(
                        place, "sets " + key + ", a switch, which nothing on the command line could take back", null);
            }
            if (!known.contains(key)) {
                String guess = Suggestions.nearest(key, known.all())
                        .map(near -> "; did you mean '" + near + "'?")
                        .orElse("");
                throw wrong(place, "sets '" + Text.oneLine(key) + "', which no command has" + guess, null);
            }
        }
    }

    private static UsageException wrong(Path file, String what, @Nullable Throwable cause) {
        return new UsageException(ErrorCode.BAD_ARGUMENT, file + " " + what, REMEDY, cause);
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return null;
        }
        String name = SettingKeys.key(option);
        return values.getOrDefault(argument.command().name() + "." + name, values.get(name));
    }

    /** Says of a failure that it comes from a setting, where it names an option that was not typed. */
    String origin(String message, List<String> args) {
        for (String key : values.keySet()) {
            String option = "--" + key.substring(key.indexOf('.') + 1);
            boolean typed = args.stream().anyMatch(arg -> arg.equals(option) || arg.startsWith(option + "="));
            if (!typed
                    && Pattern.compile(Pattern.quote(option) + "(?![\\w-])")
                            .matcher(message)
                            .find()) {
                return " It is set in " + file.map(Path::toString).orElse(NAME) + ".";
            }
        }
        return "";
    }
}
