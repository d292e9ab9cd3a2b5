package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.state.CpuState;
import dev.tandem.backend.cpu.state.KvSlot;
import dev.tandem.spi.backend.Batch.Slice;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Stores keys and values, then attends: one task per block of query rows and key-value head. */
final class AttentionStage implements Stage {
    /** Query rows that share the keys of a chunk. */
    private static final int BLOCK_ROWS = 16;

    private final Op.Attention op;
    private final Value query;
    private final Buffer q;
    private final Buffer k;
    private final Buffer v;
    private final Buffer y;
    private final float @Nullable [] sinks;

    AttentionStage(Op.Attention op, Node node, Buffers buffers, float @Nullable [] sinks) {
        this.op = op;
        this.query = node.inputs().getFirst();
        this.q = buffers.of(query);
        this.k = buffers.of(node.inputs().get(1));
        this.v = buffers.of(node.inputs().get(2));
        this.y = buffers.of(node.output());
        this.sinks = sinks;
    }

    @Override
    public void run(StepContext context) {
        append(context, op.slot(), k, v);
        List<AttentionTask> tasks = new ArrayList<>();
        int queryRow = 0;
        int queryRows = context.rows(query);
        for (Slice slice : context.batch().slices()) {
            CpuState state = (CpuState) slice.state();
            int end = slice.firstRow() + state.openRows();
            int first = queryRow;
            while (queryRow < queryRows && context.stepRow(query, queryRow) < end) {
                queryRow++;
            }
            addTasks(context, tasks, slice, first, queryRow);
        }
        context.pool().run(tasks.size(), (i, scratch) -> tasks.get(i).run(context.kernels(), scratch));
    }

    private void addTasks(StepContext context, List<AttentionTask> tasks, Slice slice, int from, int to) {
        CpuState state = (CpuState) slice.state();
        KvSlot kv = state.slot(op.slot(), KvSlot.class);
        for (int block = from; block < to; block += BLOCK_ROWS) {
            int[] rows = new int[Math.min(BLOCK_ROWS, to - block)];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = context.stepRow(query, block + i) - slice.firstRow();
            }
            for (int head = 0; head < kv.spec().heads(); head++) {
                tasks.add(new AttentionTask(
                        op, kv, state.committedRows(), state.open(), head, rows, block, q.floats(), y.floats(), sinks));
            }
        }
    }

    /** Stores the step's keys and values of every slice. */
    static void append(StepContext context, String slot, Buffer k, Buffer v) {
        for (Slice slice : context.batch().slices()) {
            CpuState state = (CpuState) slice.state();
            KvSlot kv = state.slot(slot, KvSlot.class);
            int committed = state.committedRows();
            context.rows(state.openRows(), Kernels.CHUNK, (from, to, scratch) -> {
                for (int row = from; row < to; row++) {
                    int at = slice.firstRow() + row;
                    kv.write(committed + row, k.floats(), at * k.columns(), v.floats(), at * v.columns());
                }
            });
        }
    }
}
