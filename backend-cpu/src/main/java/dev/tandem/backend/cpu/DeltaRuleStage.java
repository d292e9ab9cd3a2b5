package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.state.CpuState;
import dev.tandem.backend.cpu.state.DeltaSlot;
import dev.tandem.spi.backend.Batch.Slice;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.GatedDeltaRule.KeySharing;
import dev.tandem.spi.numeric.Functions;
import java.util.List;

/** The gated delta rule, one task per head: the recurrence runs row by row along each path. */
final class DeltaRuleStage implements Stage {
    private final Op.GatedDeltaRule op;
    private final List<Buffer> in;
    private final Buffer y;
    private final float[] decay;
    private final float[] timeBias;
    private final int heads;
    private final int keyDim;
    private final int valueDim;

    DeltaRuleStage(Op.GatedDeltaRule op, Node node, Buffers buffers, float[] decay, float[] timeBias) {
        this.op = op;
        this.in = node.inputs().stream().map(buffers::of).toList();
        this.y = buffers.of(node.output());
        this.decay = decay;
        this.timeBias = timeBias;
        this.heads = decay.length;
        this.keyDim = in.get(0).columns() / op.keyHeads();
        this.valueDim = in.get(2).columns() / heads;
    }

    @Override
    public void run(StepContext context) {
        for (Slice slice : context.batch().slices()) {
            CpuState state = (CpuState) slice.state();
            DeltaSlot slot = state.slot(op.slot(), DeltaSlot.class);
            context.pool().run(heads, (head, scratch) -> runHead(state, slot, slice.firstRow(), head));
        }
    }

    private void runHead(CpuState state, DeltaSlot slot, int firstRow, int head) {
        int keyHead = op.keySharing() == KeySharing.TILED ? head % op.keyHeads() : head / (heads / op.keyHeads());
        int keyColumns = in.get(0).columns();
        for (int row = 0; row < state.openRows(); row++) {
            int at = firstRow + row;
            float rate = Functions.softplus(in.get(3).floats()[at * heads + head] + timeBias[head]);
            slot.journal(
                    row,
                    head,
                    in.get(1).floats(),
                    at * keyColumns + keyHead * keyDim,
                    in.get(2).floats(),
                    (at * heads + head) * valueDim,
                    Functions.exp(rate * decay[head]),
                    Functions.sigmoid(in.get(4).floats()[at * heads + head]));
        }
        slot.run(
                head,
                state.open(),
                in.get(0).floats(),
                firstRow * keyColumns + keyHead * keyDim,
                keyColumns,
                y.floats(),
                (firstRow * heads + head) * valueDim,
                heads * valueDim);
    }
}
