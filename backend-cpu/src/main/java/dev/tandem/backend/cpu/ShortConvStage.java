package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.state.ConvSlot;
import dev.tandem.backend.cpu.state.CpuState;
import dev.tandem.backend.cpu.state.OpenRows;
import dev.tandem.spi.backend.Batch.Slice;
import dev.tandem.spi.graph.Op;
import org.jspecify.annotations.Nullable;

/** A depthwise convolution along the path of each row. */
final class ShortConvStage implements Stage {
    private final Op.ShortConv op;
    private final Buffer x;
    private final Buffer y;
    private final float[] kernel;
    private final float @Nullable [] bias;
    private final int channels;
    private final int width;

    ShortConvStage(Op.ShortConv op, Buffer x, Buffer y, float[] kernel, float @Nullable [] bias) {
        this.op = op;
        this.x = x;
        this.y = y;
        this.kernel = kernel;
        this.bias = bias;
        this.channels = x.columns();
        this.width = op.kernel().columns();
    }

    @Override
    public void run(StepContext context) {
        for (Slice slice : context.batch().slices()) {
            CpuState state = (CpuState) slice.state();
            ConvSlot slot = state.slot(op.slot(), ConvSlot.class);
            OpenRows open = state.open();
            int first = slice.firstRow() * channels;
            System.arraycopy(x.floats(), first, slot.journal(), 0, open.count() * channels);
            context.rows(open.count(), channels, (from, to, scratch) -> {
                for (int row = from; row < to; row++) {
                    convolve(context, slot, open, row, first + row * channels);
                }
            });
        }
    }

    private void convolve(StepContext context, ConvSlot slot, OpenRows open, int row, int out) {
        int[] path = open.path(row);
        float[] sums = y.floats();
        for (int channel = 0; channel < channels; channel++) {
            float sum = 0f;
            for (int tap = 0; tap < width; tap++) {
                int ancestor = path.length - width + tap;
                float input = ancestor >= 0
                        ? slot.journal()[path[ancestor] * channels + channel]
                        : slot.window()[(width - 1 + ancestor) * channels + channel];
                sum = Math.fma(kernel[channel * width + tap], input, sum);
            }
            sums[out + channel] = bias == null ? sum : sum + bias[channel];
        }
        op.activation().ifPresent(activation -> context.kernels().activate(activation, sums, out, sums, out, channels));
    }
}
