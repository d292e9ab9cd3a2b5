package dev.tandem.gpu.device;

import dev.tandem.gpu.ffm.DeviceAttribute;
import dev.tandem.gpu.ffm.Driver;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.backend.Backend.MemoryInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * An open device with one stream, in which everything runs in the order in which it was queued.
 *
 * <p>A call that finds no memory fails alone. Any other failure makes the device lost: its memory cannot be trusted any
 * more, so every later call but {@link #close} is refused with the first failure.
 */
public final class Device implements AutoCloseable {
    private static final int STREAM_NON_BLOCKING = 1;
    private static final int HOST_PORTABLE = 1;
    private static final int CAPTURE_THREAD_LOCAL = 1;
    private static final long IMAGE_ALIGNMENT = 4096;

    private final Driver driver;
    private final int ordinal;
    private final StatusCheck status;
    /** Receives what the driver stores through a pointer; freed with this object. */
    private final MemorySegment out = Arena.ofAuto().allocate(16, 8);

    private final int device;
    private final long context;
    private final long stream;
    private final long module;
    private final Map<String, Long> functions = new HashMap<>();
    private final Set<DeviceBuffer> buffers = new LinkedHashSet<>();
    private final Set<PinnedBuffer> pinned = new LinkedHashSet<>();
    private final Set<DeviceGraph> graphs = new LinkedHashSet<>();
    private long allocatedBytes;
    private long waits;

    /**
     * Opens a device.
     *
     * @param driver initialised
     * @param ordinal of the device in the driver's list
     * @param name of the device for people
     * @param images of the same kernels, the preferred one first
     * @throws DeviceException where the driver refuses the device or every image
     */
    public Device(Driver driver, int ordinal, String name, List<KernelImage> images) {
        this.driver = driver;
        this.ordinal = ordinal;
        this.status = new StatusCheck(driver, driver.table().api() + " device " + ordinal + " (" + name + ")");
        status.check(driver.call(DriverFunction.DEVICE, out.address(), ordinal), DriverFunction.DEVICE, "opening it");
        this.device = out.get(ValueLayout.JAVA_INT, 0);
        out.set(ValueLayout.JAVA_LONG, 0, 0);
        status.check(
                driver.call(DriverFunction.CONTEXT_RETAIN, out.address(), device),
                DriverFunction.CONTEXT_RETAIN,
                "opening it");
        this.context = out.get(ValueLayout.JAVA_LONG, 0);
        try {
            use();
            status.check(
                    driver.call(DriverFunction.STREAM_CREATE, out.address(), STREAM_NON_BLOCKING),
                    DriverFunction.STREAM_CREATE,
                    "opening it");
            this.stream = out.get(ValueLayout.JAVA_LONG, 0);
            this.module = load(images);
        } catch (RuntimeException e) {
            driver.call(DriverFunction.CONTEXT_RELEASE, device);
            throw e;
        }
    }

    private long load(List<KernelImage> images) {
        int code = 0;
        for (KernelImage image : images) {
            try (Arena arena = Arena.ofConfined()) {
                byte[] bytes = image.bytes();
                // One zero byte more ends an image that is text.
                MemorySegment copy = arena.allocate(bytes.length + 1L, IMAGE_ALIGNMENT);
                MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
                code = driver.call(DriverFunction.MODULE_LOAD, out.address(), copy.address());
            }
            if (code == 0) {
                return out.get(ValueLayout.JAVA_LONG, 0);
            }
            if (!Status.imageUnsuitable(code)) {
                break;
            }
        }
        throw status.failure(
                code, DriverFunction.MODULE_LOAD, "loading the kernels (" + KernelImage.names(images) + ")");
    }

    /** Name for messages, such as {@code CUDA device 0 (NVIDIA H200)}. */
    public String name() {
        return status.device();
    }

    /**
     * Makes the device that of the calling thread; every other call needs it.
     *
     * @throws DeviceException where the device is lost or closed
     */
    public void use() {
        status.requireAlive();
        long argument = driver.table().useByOrdinal() ? ordinal : context;
        status.check(driver.call(DriverFunction.CONTEXT_USE, argument), DriverFunction.CONTEXT_USE, "a call");
    }

    /**
     * Takes device memory.
     *
     * @param bytes at least 0
     * @param what it is for, for the message
     * @return memory with any contents
     * @throws DeviceException where there is no room, with numbers
     */
    public DeviceBuffer allocate(long bytes, String what) {
        status.requireAlive();
        int code = driver.call(DriverFunction.ALLOCATE, out.address(), Math.max(bytes, 1));
        status.checkRoom(code, DriverFunction.ALLOCATE, bytes, what, this::memory);
        DeviceBuffer buffer = new DeviceBuffer(this, out.get(ValueLayout.JAVA_LONG, 0), bytes);
        buffers.add(buffer);
        allocatedBytes += bytes;
        return buffer;
    }

    /**
     * Takes host memory for copies.
     *
     * @param bytes at least 1
     * @param what it is for, for the message
     * @return memory with any contents
     * @throws DeviceException where there is no room
     */
    public PinnedBuffer allocatePinned(long bytes, String what) {
        status.requireAlive();
        int code = driver.call(DriverFunction.ALLOCATE_HOST, out.address(), bytes, HOST_PORTABLE);
        status.checkRoom(code, DriverFunction.ALLOCATE_HOST, bytes, what, this::memory);
        MemorySegment segment =
                MemorySegment.ofAddress(out.get(ValueLayout.JAVA_LONG, 0)).reinterpret(bytes);
        PinnedBuffer buffer = new PinnedBuffer(this, segment);
        pinned.add(buffer);
        return buffer;
    }

    /** Frees a buffer that is still this device's; a failure is ignored, since nobody could do anything about it. */
    void free(DeviceBuffer buffer) {
        if (buffers.remove(buffer)) {
            allocatedBytes -= buffer.bytes();
            useQuietly();
            driver.call(DriverFunction.FREE, buffer.address());
        }
    }

    void free(PinnedBuffer buffer) {
        if (pinned.remove(buffer)) {
            useQuietly();
            driver.call(DriverFunction.FREE_HOST, buffer.segment().address());
        }
    }

    private void useQuietly() {
        driver.call(DriverFunction.CONTEXT_USE, driver.table().useByOrdinal() ? ordinal : context);
    }

    /**
     * Queues a copy to the device.
     *
     * @param target address on the device
     * @param source pinned, unchanged until the device was waited for
     * @param bytes to copy
     */
    public void upload(long target, MemorySegment source, long bytes) {
        status.requireAlive();
        if (bytes > 0) {
            status.check(
                    driver.call(DriverFunction.COPY_TO_DEVICE, target, source.address(), bytes, stream),
                    DriverFunction.COPY_TO_DEVICE,
                    "a copy of " + bytes + " bytes");
        }
    }

    /**
     * Queues a copy to the host.
     *
     * @param target native memory, valid after {@link #synchronize()}
     * @param source address on the device
     * @param bytes to copy
     */
    public void download(MemorySegment target, long source, long bytes) {
        status.requireAlive();
        if (bytes > 0) {
            status.check(
                    driver.call(DriverFunction.COPY_TO_HOST, target.address(), source, bytes, stream),
                    DriverFunction.COPY_TO_HOST,
                    "a copy of " + bytes + " bytes");
        }
    }

    /**
     * Queues a copy on the device.
     *
     * @param target address on the device
     * @param source address on the device
     * @param bytes to copy
     */
    public void copy(long target, long source, long bytes) {
        status.requireAlive();
        if (bytes > 0) {
            status.check(
                    driver.call(DriverFunction.COPY_ON_DEVICE, target, source, bytes, stream),
                    DriverFunction.COPY_ON_DEVICE,
                    "a copy of " + bytes + " bytes");
        }
    }

    /**
     * Waits until everything queued is done.
     *
     * @throws DeviceException where something queued before has failed
     */
    public void synchronize() {
        status.requireAlive();
        status.check(
                driver.call(DriverFunction.STREAM_SYNCHRONIZE, stream),
                DriverFunction.STREAM_SYNCHRONIZE,
                "waiting for the device");
        waits++;
    }

    /**
     * How often the device was waited for: whoever queued something finds by it whether that is done.
     *
     * @return a number that grows with each {@link #synchronize()}
     */
    public long waits() {
        return waits;
    }

    /**
     * A kernel to be launched, any number of times.
     *
     * @param kernel its name
     * @param arguments how many it takes
     * @return a launch without values
     * @throws DeviceException where the image has no such kernel
     */
    public Launch kernel(String kernel, int arguments) {
        status.requireAlive();
        Long function = functions.get(kernel);
        if (function == null) {
            try (Arena arena = Arena.ofConfined()) {
                long symbol = arena.allocateFrom(kernel).address();
                status.check(
                        driver.call(DriverFunction.MODULE_FUNCTION, out.address(), module, symbol),
                        DriverFunction.MODULE_FUNCTION,
                        "finding kernel " + kernel);
            }
            function = out.get(ValueLayout.JAVA_LONG, 0);
            functions.put(kernel, function);
        }
        return new Launch(this, kernel, function, arguments);
    }

    void launch(String kernel, long function, int gridX, int gridY, int threads, long arguments) {
        status.requireAlive();
        status.check(
                driver.launch(function, gridX, gridY, threads, stream, arguments),
                DriverFunction.LAUNCH,
                "kernel " + kernel);
    }

    /**
     * Records what some work launches, to be launched again as one.
     *
     * @param work launches kernels and does nothing else on the device; none of them runs now
     * @return the recording, or empty where the driver cannot record
     */
    public Optional<DeviceGraph> record(Runnable work) {
        status.requireAlive();
        if (!driver.has(DriverFunction.CAPTURE_BEGIN)
                || driver.call(DriverFunction.CAPTURE_BEGIN, stream, CAPTURE_THREAD_LOCAL) != 0) {
            return Optional.empty();
        }
        try {
            work.run();
        } catch (RuntimeException e) {
            endRecording().ifPresent(graph -> driver.call(DriverFunction.GRAPH_DESTROY, graph));
            throw e;
        }
        return endRecording().flatMap(this::instantiate);
    }

    private Optional<Long> endRecording() {
        int code = driver.call(DriverFunction.CAPTURE_END, stream, out.address());
        return code == 0 ? Optional.of(out.get(ValueLayout.JAVA_LONG, 0)) : Optional.empty();
    }

    private Optional<DeviceGraph> instantiate(long graph) {
        int code = driver.call(DriverFunction.GRAPH_INSTANTIATE, out.address(), graph, 0);
        long executable = out.get(ValueLayout.JAVA_LONG, 0);
        driver.call(DriverFunction.GRAPH_DESTROY, graph);
        if (code != 0) {
            return Optional.empty();
        }
        DeviceGraph recorded = new DeviceGraph(this, executable);
        graphs.add(recorded);
        return Optional.of(recorded);
    }

    void launch(DeviceGraph graph) {
        status.requireAlive();
        status.check(
                driver.call(DriverFunction.GRAPH_LAUNCH, graph.executable(), stream),
                DriverFunction.GRAPH_LAUNCH,
                "a recorded step");
    }

    void free(DeviceGraph graph) {
        if (graphs.remove(graph)) {
            useQuietly();
            driver.call(DriverFunction.GRAPH_EXECUTABLE_DESTROY, graph.executable());
        }
    }

    /** Memory of the device, or unknown where the driver does not tell. */
    public MemoryInfo memory() {
        if (!status.alive()) {
            return MemoryInfo.UNKNOWN;
        }
        useQuietly();
        int code = driver.call(DriverFunction.MEMORY_INFO, out.address(), out.address() + 8);
        return code != 0
                ? MemoryInfo.UNKNOWN
                : new MemoryInfo(out.get(ValueLayout.JAVA_LONG, 8), out.get(ValueLayout.JAVA_LONG, 0));
    }

    /** Device memory that was taken and not freed. */
    public long allocatedBytes() {
        return allocatedBytes;
    }

    /**
     * An attribute of the device.
     *
     * @param attribute which
     * @return its value
     */
    public int attribute(DeviceAttribute attribute) {
        Integer number = driver.table().attributes().get(attribute);
        if (number == null) {
            throw new IllegalArgumentException(driver.table().api() + " has no number for " + attribute);
        }
        status.check(
                driver.call(DriverFunction.DEVICE_ATTRIBUTE, out.address(), number, device),
                DriverFunction.DEVICE_ATTRIBUTE,
                "asking for " + attribute.name().toLowerCase(Locale.ROOT));
        return out.get(ValueLayout.JAVA_INT, 0);
    }

    /** Frees all memory and the kernels, also of a lost device, whose driver answers at once. May be called twice. */
    @Override
    public void close() {
        if (!status.close()) {
            return;
        }
        useQuietly();
        // What is queued may still read or write the buffers.
        driver.call(DriverFunction.STREAM_SYNCHRONIZE, stream);
        List.copyOf(graphs).forEach(DeviceGraph::close);
        List.copyOf(buffers).forEach(DeviceBuffer::close);
        List.copyOf(pinned).forEach(PinnedBuffer::close);
        driver.call(DriverFunction.MODULE_UNLOAD, module);
        driver.call(DriverFunction.STREAM_DESTROY, stream);
        driver.call(DriverFunction.CONTEXT_RELEASE, device);
    }
}
