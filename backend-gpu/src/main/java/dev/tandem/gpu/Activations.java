package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Value;

/** Activations rounded to 8 bits for integer dots: once per value, for all matrices that follow each other. */
final class Activations implements AutoCloseable {
    /** Threads of the kernels that round. */
    static final int THREADS = 256;

    private static final int SEGMENT_COLUMNS = 256;
    private static final int GROUP_ROWS = 8;
    /** Bytes of a segment of eight rows: of each block of 32 the elements, a scale and two sums per row. */
    private static final long GROUP_BYTES = 2560;

    private static final int SEGMENT_BLOCKS = 8;
    private static final int BLOCKS_PER_LAUNCHED = 32;

    private final Workspace memory;
    private final Launch quantize;
    private long holdsRun = -1;
    private int holdsValue;
    private int holdsColumns;

    Activations(Device device) {
        this.memory = new Workspace(device, "rounded activations");
        this.quantize = device.kernel("quantize", 4);
    }

    /** Address of a value's rounded rows, read as {@code rows} rows of {@code columns} elements. */
    long of(RunContext context, Value value, int rows, int columns) {
        if (holdsRun == context.run() && holdsValue == value.id() && holdsColumns == columns) {
            return memory.address();
        }
        long address = filledFor(context, value, rows, columns);
        quantize.set(0, context.address(value)).set(1, address).set(2, rows).set(3, columns);
        quantize.run(launchedBlocks(rows, columns), 1, THREADS);
        return address;
    }

    /** Address where the caller's kernel puts a value's rounded rows. */
    long filledFor(RunContext context, Value value, int rows, int columns) {
        holdsRun = -1;
        long groups = (long) Launch.blocks(rows, GROUP_ROWS) * Launch.blocks(columns, SEGMENT_COLUMNS);
        long address = memory.reserve(groups * GROUP_BYTES);
        holdsRun = context.run();
        holdsValue = value.id();
        holdsColumns = columns;
        return address;
    }

    /** Blocks of threads that round some rows. */
    static int launchedBlocks(int rows, int columns) {
        return Launch.blocks(rows * Launch.blocks(columns, SEGMENT_COLUMNS) * SEGMENT_BLOCKS, BLOCKS_PER_LAUNCHED);
    }

    long address() {
        return memory.address();
    }

    long bytes() {
        return memory.bytes();
    }

    @Override
    public void close() {
        memory.close();
    }
}
