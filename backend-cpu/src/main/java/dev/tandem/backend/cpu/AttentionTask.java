package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Scratch;
import dev.tandem.backend.cpu.state.KvSlot;
import dev.tandem.backend.cpu.state.OpenRows;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Attention.InStep;
import dev.tandem.spi.numeric.Functions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Attention of some query rows of one sequence over one key-value head (N5): chunk by chunk of logical positions, each
 * chunk's keys loaded once for all rows, results merged in ascending order.
 */
final class AttentionTask {
    private static final int CHUNK = Kernels.CHUNK;

    private final Op.Attention op;
    private final KvSlot kv;
    private final int committed;
    private final OpenRows open;
    private final int kvHead;
    private final int[] rows;
    private final int firstQuery;
    private final float[] q;
    private final float[] y;
    private final float @Nullable [] sinks;
    private final int group;
    private final int keyDim;
    private final int valueDim;
    /** Open rows stand at consecutive logical positions. */
    private final boolean consecutive;

    /**
     * One task.
     *
     * @param rows open rows of the sequence whose queries are meant
     * @param firstQuery row of q and y that belongs to the first of them
     */
    AttentionTask(
            Op.Attention op,
            KvSlot kv,
            int committed,
            OpenRows open,
            int kvHead,
            int[] rows,
            int firstQuery,
            float[] q,
            float[] y,
            float @Nullable [] sinks) {
        this.op = op;
        this.kv = kv;
        this.committed = committed;
        this.open = open;
        this.kvHead = kvHead;
        this.rows = rows;
        this.firstQuery = firstQuery;
        this.q = q;
        this.y = y;
        this.sinks = sinks;
        this.group = op.heads() / kv.spec().heads();
        this.keyDim = kv.spec().keyDim();
        this.valueDim = kv.spec().valueDim();
        this.consecutive = open.chain() || op.inStep() == InStep.BLOCK;
    }

    void run(Kernels kernels, Scratch scratch) {
        int perHead = valueDim + 2;
        float[] running = scratch.accumulators((rows.length * group + 1) * perHead);
        int lowest = Integer.MAX_VALUE;
        int highest = 0;
        for (int row : rows) {
            lowest = Math.min(lowest, firstVisible(row));
            highest = Math.max(highest, endVisible(row));
        }
        for (int i = 0; i < rows.length * group; i++) {
            running[i * perHead + valueDim + 1] = -1f; // no chunk yet: a sum of weights is never negative
        }
        for (int chunk = lowest / CHUNK; chunk * CHUNK < highest; chunk++) {
            attendChunk(kernels, scratch, chunk * CHUNK, highest, running);
        }
        finish(kernels, running, perHead);
    }

    private int firstVisible(int row) {
        int window = kv.spec().window();
        return window == 0 ? 0 : Math.max(0, committed + open.depth(row) + 1 - window);
    }

    private int endVisible(int row) {
        return committed + (op.inStep() == InStep.BLOCK ? open.count() : open.depth(row) + 1);
    }

    private void attendChunk(Kernels kernels, Scratch scratch, int start, int highest, float[] running) {
        int loaded = Math.min(start + CHUNK, consecutive ? highest : committed);
        float[] keys;
        float[] values;
        int keyAt = 0;
        int valueAt = 0;
        if (!kv.half() && consecutive) {
            keys = kv.keys(start);
            values = kv.values(start);
            keyAt = kvHead * keyDim * CHUNK;
            valueAt = kvHead * valueDim * CHUNK;
        } else {
            keys = scratch.keys(keyDim * CHUNK);
            values = scratch.values(valueDim * CHUNK);
            if (loaded > start) {
                kv.loadKeys(kvHead, start, loaded - start, keys, 0);
                kv.loadValues(kvHead, start, loaded - start, values, 0);
            }
        }
        for (int i = 0; i < rows.length; i++) {
            int lo = Math.max(0, firstVisible(rows[i]) - start);
            int hi = Math.min(CHUNK, endVisible(rows[i]) - start);
            if (lo < hi) {
                if (!consecutive) {
                    loadPath(rows[i], start, start + hi, keys, values);
                }
                attendRow(kernels, scratch, i, keys, keyAt, values, valueAt, lo, hi, running);
            }
        }
    }

    /** All heads of one row, two at a time. */
    private void attendRow(
            Kernels kernels,
            Scratch scratch,
            int row,
            float[] keys,
            int keyAt,
            float[] values,
            int valueAt,
            int lo,
            int hi,
            float[] running) {
        float[] s = scratch.scores();
        for (int g = 0; g < group; g += 2) {
            int queryAt = ((firstQuery + row) * op.heads() + kvHead * group + g) * keyDim;
            if (g + 1 < group) {
                kernels.scoresOfTwo(q, queryAt, queryAt + keyDim, keys, keyAt, keyDim, lo, hi, s, scratch);
                attend(kernels, s, 0, row * group + g, values, valueAt, lo, hi, running);
                attend(kernels, s, CHUNK, row * group + g + 1, values, valueAt, lo, hi, running);
            } else {
                kernels.scores(q, queryAt, keys, keyAt, keyDim, lo, hi, s, 0);
                attend(kernels, s, 0, row * group + g, values, valueAt, lo, hi, running);
            }
        }
    }

    /** Puts the ancestors of a row of a tree at their logical positions in the chunk. */
    private void loadPath(int row, int start, int end, float[] keys, float[] values) {
        int[] path = open.path(row);
        for (int position = Math.max(start, committed); position < end; position++) {
            int place = committed + path[position - committed];
            kv.loadKeys(kvHead, place, 1, keys, position - start);
            kv.loadValues(kvHead, place, 1, values, position - start);
        }
    }

    /** Joins one query's chunk, whose raw scores are at {@code s[so + lo]} to {@code s[so + hi - 1]}. */
    private void attend(
            Kernels kernels,
            float[] s,
            int so,
            int query,
            float[] values,
            int valueAt,
            int lo,
            int hi,
            float[] running) {
        int from = so + lo;
        int to = so + hi;
        kernels.scale(s, from, op.scale(), s, from, hi - lo);
        if (op.softCap() > 0f) {
            kernels.softCap(s, from, op.softCap(), s, from, hi - lo);
        }
        float maximum = s[from];
        for (int i = from + 1; i < to; i++) {
            maximum = Math.max(maximum, s[i]);
        }
        float sum = kernels.softmaxWeights(s, from, to, maximum);
        int firstValue = valueAt - so * valueDim;
        int at = query * (valueDim + 2);
        if (running[at + valueDim + 1] < 0f) {
            kernels.weightedSum(s, from, to, values, firstValue, valueDim, running, at);
            running[at + valueDim] = maximum;
            running[at + valueDim + 1] = sum;
        } else {
            int chunkAt = rows.length * group * (valueDim + 2);
            kernels.weightedSum(s, from, to, values, firstValue, valueDim, running, chunkAt);
            merge(kernels, running, at, maximum, sum, chunkAt);
        }
    }

    private void merge(Kernels kernels, float[] running, int at, float maximum, float sum, int chunkAt) {
        int m = at + valueDim;
        float joint = Math.max(running[m], maximum);
        float a = Functions.exp(running[m] - joint);
        float b = Functions.exp(maximum - joint);
        running[m] = joint;
        running[m + 1] = Math.fma(running[m + 1], a, sum * b);
        kernels.join(running, at, a, running, chunkAt, b, valueDim);
    }

    private void finish(Kernels kernels, float[] running, int perHead) {
        int none = rows.length * group * perHead;
        Arrays.fill(running, none, none + valueDim, 0f);
        for (int i = 0; i < rows.length; i++) {
            for (int g = 0; g < group; g++) {
                int at = (i * group + g) * perHead;
                int head = kvHead * group + g;
                if (sinks != null) {
                    merge(kernels, running, at, sinks[head], 1f, none);
                }
                int out = ((firstQuery + i) * op.heads() + head) * valueDim;
                float sum = running[at + valueDim + 1];
                for (int j = 0; j < valueDim; j++) {
                    y[out + j] = running[at + j] / sum;
                }
            }
        }
    }
}
