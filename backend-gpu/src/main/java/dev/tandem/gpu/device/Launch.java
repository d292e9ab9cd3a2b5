package dev.tandem.gpu.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A kernel with its arguments, which keep their values from one run to the next. Every argument has a slot of eight
 * bytes; the driver copies the values when the kernel is queued.
 */
public final class Launch {
    private final Device device;
    private final String name;
    private final long function;
    private final MemorySegment slots;
    private final MemorySegment pointers;

    Launch(Device device, String name, long function, int arguments) {
        this.device = device;
        this.name = name;
        this.function = function;
        Arena arena = Arena.ofAuto();
        this.slots = arena.allocate(8L * arguments, 8);
        this.pointers = arena.allocate(8L * arguments, 8);
        for (int i = 0; i < arguments; i++) {
            pointers.setAtIndex(ValueLayout.JAVA_LONG, i, slots.address() + 8L * i);
        }
    }

    /**
     * Sets a pointer or another argument of 64 bits.
     *
     * @param index of the argument
     * @param value an address on the device, or 0
     * @return this
     */
    public Launch set(int index, long value) {
        slots.setAtIndex(ValueLayout.JAVA_LONG, index, value);
        return this;
    }

    /**
     * Sets an int.
     *
     * @param index of the argument
     * @param value any
     * @return this
     */
    public Launch set(int index, int value) {
        slots.set(ValueLayout.JAVA_INT, 8L * index, value);
        return this;
    }

    /**
     * Sets a float.
     *
     * @param index of the argument
     * @param value any
     * @return this
     */
    public Launch set(int index, float value) {
        slots.set(ValueLayout.JAVA_FLOAT, 8L * index, value);
        return this;
    }

    /**
     * Blocks that cover some work.
     *
     * @param work at least 0
     * @param perBlock work of a block
     * @return the quotient, rounded up
     */
    public static int blocks(int work, int perBlock) {
        return (work + perBlock - 1) / perBlock;
    }

    /**
     * Queues the kernel; does nothing where there are no blocks.
     *
     * @param gridX blocks
     * @param gridY blocks
     * @param threads of a block
     * @throws dev.tandem.spi.DeviceException where the device failed
     */
    public void run(int gridX, int gridY, int threads) {
        if (gridX > 0 && gridY > 0) {
            device.launch(name, function, gridX, gridY, threads, pointers.address());
        }
    }
}
