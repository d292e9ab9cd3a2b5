package dev.tandem.gpu.ffm;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A GPU driver's library, opened. Calls return the driver's status; 0 is success in both vendors' drivers.
 *
 * <p>Every argument travels as a 64-bit integer, and short calls are padded to four: under the calling conventions of
 * x86-64 and AArch64 a callee ignores surplus arguments and the upper half of an int, and no function here takes a
 * floating-point number. So two shapes of handles serve all functions, which saves most of the time of binding them.
 *
 * <p>Functions are bound when first called. Safe for use by several threads.
 */
public final class Driver {
    private static final FunctionDescriptor SHORT_CALL = shape(ValueLayout.JAVA_INT, 4);
    private static final FunctionDescriptor LONG_CALL = shape(ValueLayout.JAVA_INT, 11);
    private static final FunctionDescriptor POINTER_CALL = shape(ValueLayout.ADDRESS, 4);
    private static final int LONGEST_NAME = 256;

    private final DriverTable table;
    private final NativeLibrary.Opened library;
    private final Map<DriverFunction, MethodHandle> bound = new EnumMap<>(DriverFunction.class);

    private Driver(DriverTable table, NativeLibrary.Opened library) {
        this.table = table;
        this.library = library;
    }

    /** Answer of an attempt to open a driver. */
    public sealed interface Attempt {
        /**
         * It is open.
         *
         * @param driver the library
         */
        record Opened(Driver driver) implements Attempt {}

        /**
         * It is not.
         *
         * @param found whether a library was there, though it could not be loaded
         * @param detail the loader's own words
         */
        record Failed(boolean found, String detail) implements Attempt {}
    }

    /** A function that the library does not have. */
    public static final class MissingSymbolException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MissingSymbolException(String message) {
            super(message);
        }
    }

    /**
     * Opens a driver's library, which is never closed again.
     *
     * @param table names of the library and its functions
     * @return the driver, or why there is none
     * @throws IllegalCallerException where the JVM denies native access
     */
    public static Attempt open(DriverTable table) {
        List<NativeLibrary.Failed> failures = new ArrayList<>();
        Optional<NativeLibrary.Opened> library = NativeLibrary.open(table.libraries(), failures);
        if (library.isPresent()) {
            return new Attempt.Opened(new Driver(table, library.get()));
        }
        NativeLibrary.Failed reason = NativeLibrary.reason(failures, table.libraries());
        return new Attempt.Failed(reason.found(), reason.detail());
    }

    /** The vendor's names. */
    public DriverTable table() {
        return table;
    }

    /** Name of the library as it was opened. */
    public String libraryName() {
        return library.name();
    }

    /**
     * The vendor's name of a function, for messages.
     *
     * @param function any
     * @return such as {@code cuMemAlloc_v2}
     */
    public String symbol(DriverFunction function) {
        return table.symbols().getOrDefault(function, function.name());
    }

    /** Whether the vendor has a function and the library too. */
    public boolean has(DriverFunction function) {
        String symbol = table.symbols().get(function);
        return symbol != null && library.symbols().find(symbol).isPresent();
    }

    /** Calls a function without arguments to spare. */
    public int call(DriverFunction function, long a) {
        return call(function, a, 0, 0, 0);
    }

    /** Calls a function of up to two arguments. */
    public int call(DriverFunction function, long a, long b) {
        return call(function, a, b, 0, 0);
    }

    /** Calls a function of up to three arguments. */
    public int call(DriverFunction function, long a, long b, long c) {
        return call(function, a, b, c, 0);
    }

    /**
     * Calls a function of up to four arguments.
     *
     * @param function any but {@link DriverFunction#LAUNCH} and {@link DriverFunction#ERROR_NAME}
     * @return the status; 0 where the vendor has no such function
     * @throws MissingSymbolException where the vendor has it and this library does not
     */
    public int call(DriverFunction function, long a, long b, long c, long d) {
        if (!table.symbols().containsKey(function)) {
            return 0;
        }
        try {
            return (int) bind(function, SHORT_CALL).invokeExact(a, b, c, d);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Launches a kernel of one axis of threads, without dynamic shared memory.
     *
     * @param kernel its function
     * @param gridX blocks
     * @param gridY blocks
     * @param block threads
     * @param stream where it is queued
     * @param arguments address of an array of pointers to the arguments
     * @return the status
     */
    public int launch(long kernel, int gridX, int gridY, int block, long stream, long arguments) {
        try {
            return (int) bind(DriverFunction.LAUNCH, LONG_CALL)
                    .invokeExact(
                            kernel, (long) gridX, (long) gridY, 1L, (long) block, 1L, 1L, 0L, stream, arguments, 0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The driver's name of a status.
     *
     * @param status not 0
     * @return such as {@code CUDA_ERROR_OUT_OF_MEMORY}, or an empty string where the driver has none
     */
    public String errorName(int status) {
        if (!has(DriverFunction.ERROR_NAME)) {
            return "";
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name;
            if (table.errorNameReturned()) {
                name = (MemorySegment)
                        bind(DriverFunction.ERROR_NAME, POINTER_CALL).invokeExact((long) status, 0L, 0L, 0L);
            } else {
                MemorySegment out = arena.allocate(ValueLayout.ADDRESS);
                int failed = (int)
                        bind(DriverFunction.ERROR_NAME, SHORT_CALL).invokeExact((long) status, out.address(), 0L, 0L);
                name = failed == 0 ? out.get(ValueLayout.ADDRESS, 0) : MemorySegment.NULL;
            }
            return name.address() == 0 ? "" : name.reinterpret(LONGEST_NAME).getString(0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private synchronized MethodHandle bind(DriverFunction function, FunctionDescriptor shape) {
        MethodHandle known = bound.get(function);
        if (known != null) {
            return known;
        }
        MemorySegment address = library.symbols()
                .find(symbol(function))
                .orElseThrow(() -> new MissingSymbolException(libraryName() + " has no function " + symbol(function)));
        MethodHandle handle = Linker.nativeLinker().downcallHandle(address, shape);
        bound.put(function, handle);
        return handle;
    }

    private static FunctionDescriptor shape(MemoryLayout result, int arguments) {
        MemoryLayout[] longs = new MemoryLayout[arguments];
        Arrays.fill(longs, ValueLayout.JAVA_LONG);
        return FunctionDescriptor.of(result, longs);
    }

    /** Method handles declare Throwable; a downcall itself throws nothing checked. */
    static RuntimeException unexpected(Throwable e) {
        if (e instanceof RuntimeException failure) {
            return failure;
        }
        if (e instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(e);
    }
}
