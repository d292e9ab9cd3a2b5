package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.gpu.state.KvLayout;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;

/**
 * Stores keys and values, then attends. With few queries over many chunks each chunk is a block of its own and a second
 * kernel merges them; else one block takes a query's chunks one after the other. The bits are the same.
 */
final class AttentionStage implements Stage {
    private static final int THREADS = 128;
    /** Blocks that fill a device. */
    private static final int ENOUGH_BLOCKS = 256;
    /** Heads of queries that share a block's loads where it takes all chunks, and where each chunk has its own. */
    private static final int HEADS_PER_BLOCK = 8;

    private static final int HEADS_PER_CHUNK = 16;

    private static final int ARGUMENTS = 15;

    private final Workbench bench;
    private final Value query;
    private final Value y;
    private final Op.Attention op;
    private final StateSpec.Kv slot;
    private final StepTable table;
    private final KvAppendStage append;
    private final Launch whole;
    private final Launch split;
    private final Launch merge;
    private final boolean rounded;
    /** Query heads of a head of keys and values. */
    private final int group;

    /**
     * Compiles an attention.
     *
     * @param rounded whether the result is wanted rounded for integer dots, too
     */
    AttentionStage(
            Workbench bench,
            Node node,
            Op.Attention op,
            StateSpec.Kv slot,
            StepTable table,
            long sinks,
            boolean rounded) {
        this.bench = bench;
        this.query = node.inputs().getFirst();
        this.y = node.output();
        this.op = op;
        this.slot = slot;
        this.table = table;
        this.append = new KvAppendStage(bench.device(), node, 1, slot, table);
        this.group = op.heads() / slot.heads();
        this.whole = attention("attention" + KvAppendStage.suffix(slot), ARGUMENTS, sinks);
        this.split = attention("attention_split" + KvAppendStage.suffix(slot), ARGUMENTS + 2, sinks);
        this.rounded = rounded && slot.valueDim() % 32 == 0 && y.columns() % 256 == 0;
        this.merge = bench.device()
                .kernel(this.rounded ? "attention_merge_quantize" : "attention_merge", this.rounded ? 11 : 10)
                .set(2, sinks)
                .set(4, op.heads())
                .set(5, slot.valueDim())
                .set(6, slot.window())
                .set(7, block())
                .set(8, ElementStages.selected(query));
    }

    private int block() {
        return op.inStep() == Op.Attention.InStep.BLOCK ? 1 : 0;
    }

    private Launch attention(String kernel, int arguments, long sinks) {
        return bench.device()
                .kernel(kernel, arguments)
                .set(2, sinks)
                .set(5, op.heads())
                .set(6, slot.heads())
                .set(7, slot.keyDim())
                .set(8, slot.valueDim())
                .set(9, slot.window())
                .set(10, op.scale())
                .set(11, op.softCap())
                .set(12, block())
                .set(13, ElementStages.selected(query));
    }

    @Override
    public void run(RunContext context) {
        append.run(context);
        int queries = context.rows(query);
        int chunks = chunks(context.batch());
        if (queries == 0) {
            return;
        }
        int blocks = Launch.blocks(queries * group, HEADS_PER_BLOCK);
        if (chunks == 1 || slot.heads() * blocks >= ENOUGH_BLOCKS) {
            place(whole, context, context.address(y));
            whole.set(14, queries).run(slot.heads(), blocks, THREADS);
        } else {
            inChunks(context, queries, chunks);
        }
    }

    private void inChunks(RunContext context, int queries, int chunks) {
        long part = bench.work().reserve(4L * queries * op.heads() * chunks * (slot.valueDim() + 2));
        place(split, context, part);
        split.set(14, chunks).set(15, queries).set(16, HEADS_PER_CHUNK);
        split.run(chunks, slot.heads() * Launch.blocks(queries * group, HEADS_PER_CHUNK), THREADS);
        merge.set(0, part).set(1, context.address(y)).set(3, table.address()).set(9, chunks);
        if (rounded) {
            merge.set(10, bench.activations().filledFor(context, y, queries, y.columns()));
        }
        merge.run(op.heads(), queries, THREADS);
    }

    private void place(Launch launch, RunContext context, long target) {
        launch.set(0, context.address(query))
                .set(1, target)
                .set(3, table.address())
                .set(4, KvAppendStage.slotOffset(context, slot));
    }

    /** Chunks of the longest sequence of a step. */
    static int chunks(Batch batch) {
        int longest = batch.slices().stream()
                .mapToInt(slice -> slice.state().committedRows() + slice.state().openRows())
                .max()
                .orElse(0);
        return Launch.blocks(longest, KvLayout.ROWS);
    }
}
