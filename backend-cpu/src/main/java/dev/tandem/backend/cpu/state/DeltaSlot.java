package dev.tandem.backend.cpu.state;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.spi.graph.StateSpec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * The matrices of a gated delta rule. Open rows keep the inputs of the recurrence in a journal; commit replays those of
 * the path. Where a step is one chain, the run also keeps the matrices after its last row, and keeping the whole chain
 * takes those instead.
 */
public final class DeltaSlot implements Slot {
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final StateSpec.DeltaMatrix spec;
    private final Kernels kernels;
    private float[] matrices;
    private float[] afterChain = {};
    private float[] keys = {};
    private float[] values = {};
    private float[] decays = {};
    private float[] betas = {};

    DeltaSlot(StateSpec.DeltaMatrix spec, Kernels kernels) {
        this.spec = spec;
        this.kernels = kernels;
        this.matrices = new float[spec.heads() * matrixSize()];
    }

    private int matrixSize() {
        return spec.valueDim() * spec.keyDim();
    }

    @Override
    public void begin(int committed, OpenRows open) {
        int rows = open.count();
        if (decays.length < rows * spec.heads()) {
            keys = new float[rows * spec.heads() * spec.keyDim()];
            values = new float[rows * spec.heads() * spec.valueDim()];
            decays = new float[rows * spec.heads()];
            betas = new float[rows * spec.heads()];
        }
        if (afterChain.length == 0) {
            afterChain = new float[matrices.length];
        }
    }

    /** Notes the inputs of the recurrence for one row and head. */
    public void journal(int row, int head, float[] k, int ko, float[] v, int vo, float decay, float beta) {
        int at = row * spec.heads() + head;
        System.arraycopy(k, ko, keys, at * spec.keyDim(), spec.keyDim());
        System.arraycopy(v, vo, values, at * spec.valueDim(), spec.valueDim());
        decays[at] = decay;
        betas[at] = beta;
    }

    /** Runs one head over all open rows, whose inputs are in the journal: y[row] = S q. */
    public void run(int head, OpenRows open, float[] q, int qo, int qStride, float[] y, int yo, int yStride) {
        int at = head * matrixSize();
        reset(head);
        for (int row = 0; row < open.count(); row++) {
            if (open.parent(row) != row - 1) {
                reset(head);
                int[] path = open.path(row);
                for (int i = 0; i < path.length - 1; i++) {
                    step(afterChain, at, path[i], head, null, 0, y, 0);
                }
            }
            step(afterChain, at, row, head, q, qo + row * qStride, y, yo + row * yStride);
        }
    }

    private void reset(int head) {
        System.arraycopy(matrices, head * matrixSize(), afterChain, head * matrixSize(), matrixSize());
    }

    private void step(float[] s, int so, int row, int head, float @Nullable [] q, int qo, float[] y, int yo) {
        int at = row * spec.heads() + head;
        kernels.deltaStep(
                s,
                so,
                keys,
                at * spec.keyDim(),
                values,
                at * spec.valueDim(),
                decays[at],
                betas[at],
                spec.keyDim(),
                spec.valueDim(),
                q,
                qo,
                y,
                yo);
    }

    @Override
    public void commit(int committed, OpenRows open, int[] path) {
        if (open.chain() && path.length == open.count()) {
            float[] before = matrices;
            matrices = afterChain;
            afterChain = before;
            return;
        }
        for (int row : path) {
            for (int head = 0; head < spec.heads(); head++) {
                step(matrices, head * matrixSize(), row, head, null, 0, matrices, 0);
            }
        }
    }

    @Override
    public int cuttable(int committed, int rows) {
        return rows == committed ? rows : 0;
    }

    @Override
    public void truncate(int rows) {
        if (rows == 0) {
            matrices = new float[matrices.length];
        }
    }

    @Override
    public Slot fork(int committed) {
        DeltaSlot copy = new DeltaSlot(spec, kernels);
        copy.matrices = matrices.clone();
        return copy;
    }

    @Override
    public long exportBytes(int committed) {
        return 4L * matrices.length;
    }

    @Override
    public void exportTo(int committed, MemorySegment target) {
        MemorySegment.copy(matrices, 0, target, FLOAT, 0, matrices.length);
    }

    @Override
    public void importFrom(int committed, MemorySegment source) {
        MemorySegment.copy(source, FLOAT, 0, matrices, 0, matrices.length);
    }

    @Override
    public long bytesPerOpenRow() {
        return 4L * spec.heads() * (spec.keyDim() + spec.valueDim() + 2);
    }

    @Override
    public void close() {
        afterChain = new float[0];
        keys = new float[0];
        values = new float[0];
    }
}
