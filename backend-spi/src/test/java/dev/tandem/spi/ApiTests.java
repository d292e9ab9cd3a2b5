package dev.tandem.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The public surface stands in {@code api.txt}, so that every change of it shows in a review. */
final class ApiTests {
    private static final String WRITE = "tandem.api.write";
    private static final Path FILE = Path.of(System.getProperty("tandem.root", ".."), "backend-spi", "api.txt");
    /** A class folder that was read wrongly must not pass for a small surface. */
    private static final int FEWEST_TYPES = 80;

    @Test
    void theFileHoldsThePublicSurface() throws IOException, URISyntaxException {
        String surface = surface();
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(FILE, surface);
        }
        List<String> stated = Files.readString(FILE).lines().toList();
        List<String> actual = surface.lines().toList();
        for (int line = 0; line < Math.max(stated.size(), actual.size()); line++) {
            String left = line < stated.size() ? stated.get(line) : "(end)";
            String right = line < actual.size() ? actual.get(line) : "(end)";
            if (!left.equals(right)) {
                fail(FILE.getFileName() + " line " + (line + 1) + " says\n  " + left + "\nbut the classes have\n  "
                        + right + "\nWhere the change is meant, run this test with -D" + WRITE
                        + "=true and commit the file.");
            }
        }
    }

    private static String surface() throws IOException, URISyntaxException {
        SortedMap<String, List<Class<?>>> packages = new TreeMap<>();
        int types = 0;
        for (Class<?> type : classes()) {
            packages.computeIfAbsent(type.getPackageName(), p -> new ArrayList<>())
                    .add(type);
            types++;
        }
        assertTrue(types >= FEWEST_TYPES, types + " types");
        StringBuilder text = new StringBuilder();
        packages.forEach((name, members) -> {
            boolean incubating = members.getFirst().getPackage().isAnnotationPresent(Incubating.class);
            text.append(incubating ? "@Incubating package " : "package ")
                    .append(name)
                    .append("\n\n");
            members.stream()
                    .sorted(Comparator.comparing(ApiPrinter::name))
                    .forEach(type -> text.append(ApiPrinter.print(type)).append('\n'));
        });
        return text.toString().stripTrailing() + "\n";
    }

    /** All that users can name, from the folder of compiled classes. */
    private static List<Class<?>> classes() throws IOException, URISyntaxException {
        Path root = Path.of(SpiVersion.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(root.resolve("dev/tandem/spi"))) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> root.relativize(file).toString())
                    .filter(name -> !name.endsWith("package-info.class"))
                    .map(name ->
                            name.substring(0, name.length() - ".class".length()).replace('/', '.'))
                    .<Class<?>>map(ApiTests::load)
                    .filter(ApiTests::visible)
                    .toList();
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, ApiTests.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean visible(Class<?> type) {
        boolean itself = Modifier.isPublic(type.getModifiers()) || Modifier.isProtected(type.getModifiers());
        return itself && (type.getDeclaringClass() == null || visible(type.getDeclaringClass()));
    }

    /** Something of everything that a class can show. */
    @Incubating
    abstract static class Sample<T extends Comparable<T>> implements AutoCloseable {
        public static final int LIMIT = 7;
        protected static final List<String> NAMES = List.of();
        static final int HIDDEN = 1;

        protected Sample(int size, @Nullable String... names) {}

        public abstract <R> R apply(Supplier<? extends R> work, int @Nullable [] rows) throws IOException;

        @Incubating
        protected final @Nullable T first(List<? super T> values) {
            return null;
        }

        void hidden() {}

        @Override
        public void close() {}

        @Override
        public final String toString() {
            return "sample";
        }
    }

    record Pair(int left, List<@Nullable String> right) {
        Pair(int left) {
            this(left, List.of());
        }

        public static Pair of(int left) {
            return new Pair(left);
        }
    }

    sealed interface Choice {
        default int weight() {
            return 1;
        }

        enum Fixed implements Choice {
            SECOND,
            FIRST
        }
    }

    @Test
    void everyKindOfMemberIsPrinted() {
        assertEquals("""
                @Incubating abstract class ApiTests.Sample<T extends Comparable<T>> implements AutoCloseable
                    protected static final List<String> NAMES
                    static final int LIMIT = 7
                    protected ApiTests.Sample(int, @Nullable String...)
                    @Incubating protected final @Nullable T first(List<? super T>)
                    abstract <R> R apply(Supplier<? extends R>, int @Nullable []) throws IOException
                    void close()
                """, ApiPrinter.print(Sample.class));
        assertEquals("""
                record ApiTests.Pair(int left, List<@Nullable String> right)
                    static ApiTests.Pair of(int)
                """, ApiPrinter.print(Pair.class));
        assertEquals("""
                sealed interface ApiTests.Choice
                    default int weight()
                """, ApiPrinter.print(Choice.class));
        assertEquals("""
                enum ApiTests.Choice.Fixed implements ApiTests.Choice
                    SECOND
                    FIRST
                """, ApiPrinter.print(Choice.Fixed.class));
    }
}
