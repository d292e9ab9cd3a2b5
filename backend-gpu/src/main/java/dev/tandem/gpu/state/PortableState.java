package dev.tandem.gpu.state;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Between pages and the portable form of a state, which has rows one after the other. */
final class PortableState {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int MAGIC = 0x54_53_54_31;
    private static final int HEADER_BYTES = 12;
    private static final int ROWS = KvLayout.ROWS;

    private PortableState() {}

    /** Moves one page to or from the device. */
    @FunctionalInterface
    interface PageCopy {
        void copy(int page, MemorySegment bytes);
    }

    static long bytes(KvLayout layout, int rows) {
        return HEADER_BYTES + rows * layout.rowBytes();
    }

    /** Number of rows that some bytes hold. */
    static int rows(KvLayout layout, MemorySegment source, int maxRows) {
        int slots = layout.slots().size();
        int rows = source.byteSize() < HEADER_BYTES ? -1 : source.get(INT, 8);
        if (rows < 0 || source.get(INT, 0) != MAGIC || source.get(INT, 4) != slots || rows > maxRows) {
            throw new IllegalArgumentException(
                    "these bytes are no state of " + slots + " slots and at most " + maxRows + " rows");
        }
        if (source.byteSize() != bytes(layout, rows)) {
            throw new IllegalArgumentException(
                    "a state of " + rows + " rows has " + bytes(layout, rows) + " bytes, not " + source.byteSize());
        }
        return rows;
    }

    static void write(KvLayout layout, int rows, MemorySegment target, PageCopy download) {
        target.set(INT, 0, MAGIC);
        target.set(INT, 4, layout.slots().size());
        target.set(INT, 8, rows);
        eachPage(layout, rows, (page, bytes) -> {
            download.copy(page, bytes);
            eachPiece(layout, rows, page, (pageAt, at, size) -> MemorySegment.copy(bytes, pageAt, target, at, size));
        });
    }

    static void read(KvLayout layout, int rows, MemorySegment source, PageCopy upload) {
        eachPage(layout, rows, (page, bytes) -> {
            eachPiece(layout, rows, page, (pageAt, at, size) -> MemorySegment.copy(source, at, bytes, pageAt, size));
            upload.copy(page, bytes);
        });
    }

    private static void eachPage(KvLayout layout, int rows, PageCopy work) {
        if (layout.pageBytes() > 0) {
            MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(layout.pageBytes())]);
            for (int page = 0; page * ROWS < rows; page++) {
                work.copy(page, bytes);
            }
        }
    }

    /** Some bytes that lie together in both forms. */
    @FunctionalInterface
    private interface Piece {
        void copy(long pageAt, long portableAt, long bytes);
    }

    private static void eachPiece(KvLayout layout, int rows, int page, Piece piece) {
        long slotAt = HEADER_BYTES;
        int count = Math.min(ROWS, rows - page * ROWS);
        for (KvLayout.Slot slot : layout.slots()) {
            for (int row = 0; row < count; row++) {
                eachPiece(slot, row, slotAt + (page * (long) ROWS + row) * slot.rowBytes(), piece);
            }
            slotAt += rows * slot.rowBytes();
        }
    }

    private static void eachPiece(KvLayout.Slot slot, int row, long portableAt, Piece piece) {
        int size = slot.elementBytes();
        long at = portableAt;
        for (int head = 0; head < slot.spec().heads(); head++) {
            for (int element = 0; element < slot.spec().keyDim(); element++) {
                piece.copy(slot.keyAt(head, row, element), at, size);
                at += size;
            }
        }
        long valueBytes = (long) slot.spec().valueDim() * size;
        for (int head = 0; head < slot.spec().heads(); head++) {
            piece.copy(slot.valueAt(head, row), at, valueBytes);
            at += valueBytes;
        }
    }
}
