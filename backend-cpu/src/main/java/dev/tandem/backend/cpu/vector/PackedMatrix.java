package dev.tandem.backend.cpu.vector;

import static dev.tandem.backend.cpu.vector.Lanes.GROUP;

import dev.tandem.backend.cpu.kernel.Activations;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Integer dots of FAST on packed rows. One row of activations is multiplied by shorts, as fast as weights can be read;
 * several share each block of weights, widened to f32 once.
 */
final class PackedMatrix implements Matrix {
    private static final int BLOCK = IntegerBlocks.BLOCK;
    /** Rows of activations that pass over a group of weights together; with a widened block they fit the nearest cache. */
    private static final int CHUNK = 16 * Activations.TILE;

    private final Layout layout;
    private final Segments segments;
    private final int rows;
    private final int columns;
    private final int blocks;
    private final int groupShorts;
    private final short[] data;

    private PackedMatrix(WeightData weight, Layout layout, int groupShorts, short[] data) {
        this.layout = layout;
        this.segments = Segments.of(layout);
        this.rows = weight.rows();
        this.columns = weight.columns();
        this.blocks = columns / BLOCK;
        this.groupShorts = groupShorts;
        this.data = data;
    }

    /**
     * Packs a weight.
     *
     * @param weight of a type with an integer form
     * @param pool for packing
     * @return empty where a scale is not finite, so that the fault shows as it would unpacked, or where no array is large
     *     enough
     */
    static Optional<Matrix> pack(WeightData weight, WorkerPool pool) {
        Layout layout = Layout.of(weight.type());
        long groupShorts = layout.rowShorts(weight.columns() / BLOCK) * GROUP;
        int groups = (weight.rows() + GROUP - 1) / GROUP;
        if (groups * groupShorts > Integer.MAX_VALUE - GROUP) {
            return Optional.empty();
        }
        short[] data = new short[groups * (int) groupShorts];
        AtomicBoolean finite = new AtomicBoolean(true);
        pool.ranges(groups, 1, 1, (from, to, scratch) -> {
            Packer packer = new Packer(weight, layout);
            for (int group = from; group < to; group++) {
                packer.group(group * GROUP, data, group * (int) groupShorts);
            }
            if (!packer.finite()) {
                finite.set(false);
            }
        });
        return finite.get() ? Optional.of(new PackedMatrix(weight, layout, (int) groupShorts, data)) : Optional.empty();
    }

    /** Bytes that a packed weight takes. */
    static long bytes(WeightData weight) {
        int groups = (weight.rows() + GROUP - 1) / GROUP;
        return 2L * groups * Layout.of(weight.type()).rowShorts(weight.columns() / BLOCK) * GROUP;
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public int columns() {
        return columns;
    }

    @Override
    public boolean integer() {
        return true;
    }

    @Override
    public int rowGroup() {
        return GROUP;
    }

    @Override
    public long extraBytes() {
        return 2L * data.length;
    }

    @Override
    public void multiply(
            Activations x,
            int first,
            int count,
            float[] y,
            int yOffset,
            int yStride,
            int from,
            int to,
            Scratch scratch) {
        for (int row = 0; row < count; row += CHUNK) {
            int taken = Math.min(CHUNK, count - row);
            float[] totals = scratch.totals(CHUNK * GROUP);
            for (int o = from; o < to; o += GROUP) {
                if (taken == 1) {
                    one(x, first + row, o / GROUP * groupShorts, totals, scratch);
                } else {
                    several(x, first + row, taken, o / GROUP * groupShorts, totals, scratch);
                }
                for (int r = 0; r < taken; r++) {
                    System.arraycopy(totals, r * GROUP, y, yOffset + (row + r) * yStride + o, Math.min(GROUP, to - o));
                }
            }
        }
    }

    private void one(Activations x, int row, int at, float[] totals, Scratch scratch) {
        float[] sums = scratch.sums(2 * Layout.SEGMENT * GROUP);
        int parts = layout.halves() ? 2 : 1;
        Arrays.fill(totals, 0, GROUP, 0f);
        int segmentAt = at;
        for (int b = 0; b < blocks; b += Layout.SEGMENT) {
            int count = Math.min(Layout.SEGMENT, blocks - b);
            int block = row * blocks + b;
            if (layout.nibbles()) {
                short[] raw = scratch.shorts(2 * Layout.SEGMENT * GROUP);
                if (layout.halves()) {
                    IntegerDots.nibbleHalves(data, segmentAt, 2 * count, x.quads(), block * BLOCK, raw);
                } else {
                    IntegerDots.nibbles(data, segmentAt, count, x.quads(), block * BLOCK, raw);
                }
                int[] activationSums = layout.halves() ? x.halfSums() : x.blockSums();
                int back = layout.signed() ? 0 : Layout.NIBBLE_ZERO;
                IntegerDots.spread(raw, parts * count, activationSums, parts * block, back, sums);
            } else {
                IntegerDots.bytes(data, segmentAt, parts * count, BLOCK / 2 / parts, x.pairs(), block * BLOCK, sums);
            }
            int words = segmentAt + count * layout.quantShorts() * GROUP;
            segments.add(data, words, count, x, block, sums, 0, totals, 0);
            segmentAt += layout.segmentShorts(count) * GROUP;
        }
    }

    private void several(Activations x, int first, int count, int at, float[] totals, Scratch scratch) {
        int tiles = (count + Activations.TILE - 1) / Activations.TILE;
        int size = tiles * Activations.TILE * GROUP;
        float[] acc = scratch.sums(CHUNK * GROUP);
        float[] factors = scratch.row(Segments.FACTORS);
        Arrays.fill(totals, 0, size, 0f);
        int segmentAt = at;
        for (int b = 0; b < blocks; b += Layout.SEGMENT) {
            int inSegment = Math.min(Layout.SEGMENT, blocks - b);
            int words = segmentAt + inSegment * layout.quantShorts() * GROUP;
            segments.factors(data, words, inSegment, factors);
            Arrays.fill(acc, 0, size, 0f);
            for (int i = 0; i < inSegment; i++) {
                float[] tile = widened(segmentAt + i * layout.quantShorts() * GROUP, i, factors, scratch);
                for (int t = 0; t < tiles; t++) {
                    int scale = ((first / Activations.TILE + t) * blocks + b + i) * Activations.TILE;
                    FloatTile.add(
                            tile,
                            x.tiles(),
                            scale * BLOCK,
                            factors,
                            Segments.scale(i),
                            x.tileScales(),
                            scale,
                            acc,
                            t * Activations.TILE * GROUP);
                }
                if (layout.offset()) {
                    for (int r = 0; r < count; r++) {
                        segments.addOffset(factors, i, x, (first + r) * blocks + b + i, acc, r * GROUP);
                    }
                }
            }
            for (int i = 0; i < size; i++) {
                totals[i] += acc[i];
            }
            segmentAt += layout.segmentShorts(inSegment) * GROUP;
        }
    }

    /** One block as f32, sub-scales multiplied in. */
    private float[] widened(int at, int inSegment, float[] factors, Scratch scratch) {
        float[] tile = scratch.tile(BLOCK * GROUP);
        if (layout.nibbles()) {
            FloatTile.widenNibbles(data, at, layout.signed() ? Layout.NIBBLE_ZERO : 0, tile);
        } else {
            FloatTile.widenBytes(data, at, tile);
        }
        if (layout.halves()) {
            FloatTile.scale(tile, 0, BLOCK / 2, factors, Segments.subScale(inSegment, 0));
            FloatTile.scale(tile, BLOCK / 2, BLOCK, factors, Segments.subScale(inSegment, 1));
        }
        return tile;
    }
}
