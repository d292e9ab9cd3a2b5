package dev.tandem.gpu.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Opens the first library of a list that can be opened, or says why none can, in the loader's own words. */
final class NativeLibrary {
    private static final int RTLD_NOW = 2;
    private static final int LONGEST_MESSAGE = 4096;

    private NativeLibrary() {}

    /**
     * An open library.
     *
     * @param name that was opened
     * @param symbols of the library
     */
    record Opened(String name, SymbolLookup symbols) {}

    /**
     * No library could be opened.
     *
     * @param found whether a file was there, though it could not be loaded
     * @param detail the loader's words
     */
    record Failed(boolean found, String detail) {}

    /** Stays open for good: drivers do not survive being unloaded. Answers {@link Opened} or adds to the failures. */
    static Optional<Opened> open(List<String> names, List<Failed> failures) {
        for (String name : names) {
            try {
                SymbolLookup symbols = Path.of(name).isAbsolute()
                        ? SymbolLookup.libraryLookup(Path.of(name), Arena.global())
                        : SymbolLookup.libraryLookup(name, Arena.global());
                return Optional.of(new Opened(name, symbols));
            } catch (IllegalArgumentException e) {
                String words = loaderWords(name);
                failures.add(new Failed(!words.contains("No such file"), words));
            }
        }
        return Optional.empty();
    }

    /** The failure to report: that of a library which is there rather than of one which is not. */
    static Failed reason(List<Failed> failures, List<String> names) {
        List<Failed> present = failures.stream().filter(Failed::found).toList();
        if (!present.isEmpty()) {
            return present.getFirst();
        }
        String first = failures.isEmpty() ? "" : failures.getFirst().detail();
        List<String> others = new ArrayList<>(names);
        if (!others.isEmpty()) {
            others.removeFirst();
        }
        return new Failed(false, others.isEmpty() ? first : first + " (also tried " + String.join(", ", others) + ")");
    }

    /** Java says only that a library cannot be opened; dlerror says why. */
    private static String loaderWords(String name) {
        Linker linker = Linker.nativeLinker();
        Optional<MemorySegment> open = linker.defaultLookup().find("dlopen");
        Optional<MemorySegment> error = linker.defaultLookup().find("dlerror");
        if (open.isEmpty() || error.isEmpty()) {
            return name + ": cannot be opened";
        }
        MethodHandle dlopen = linker.downcallHandle(
                open.get(), FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        MethodHandle dlerror = linker.downcallHandle(error.get(), FunctionDescriptor.of(ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            long handle = (long) dlopen.invokeExact(arena.allocateFrom(name), RTLD_NOW);
            MemorySegment message = (MemorySegment) dlerror.invokeExact();
            if (handle != 0 || message.address() == 0) {
                return name + ": cannot be opened";
            }
            return message.reinterpret(LONGEST_MESSAGE).getString(0);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
