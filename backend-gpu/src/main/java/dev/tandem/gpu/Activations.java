package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Value;

/** Activations rounded to 8 bits for integer dots: once per value, for all matrices that follow each other. */
final class Activations implements AutoCloseable {
    private static final int THREADS = 256;
    private static final int SEGMENT_COLUMNS = 256;
    private static final int GROUP_ROWS = 8;
    /** Bytes of a segment of eight rows: of each block 32 elements, a scale and two sums per row. */
    private static final long GROUP_BYTES = 2560;
    /** Blocks of 32 elements in a segment of eight rows, and how many a block of threads rounds. */
    private static final int GROUP_BLOCKS = 64;

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
        int groups = Launch.blocks(rows, GROUP_ROWS);
        int segments = Math.multiplyExact(groups, Launch.blocks(columns, SEGMENT_COLUMNS));
        boolean held = holdsRun == context.run() && holdsValue == value.id() && holdsColumns == columns;
        long address = memory.reserve(segments * GROUP_BYTES);
        if (!held) {
            quantize.set(0, context.address(value)).set(1, address).set(2, rows).set(3, columns);
            quantize.run(segments * (GROUP_BLOCKS / BLOCKS_PER_LAUNCHED), 1, THREADS);
            holdsRun = context.run();
            holdsValue = value.id();
            holdsColumns = columns;
        }
        return address;
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
