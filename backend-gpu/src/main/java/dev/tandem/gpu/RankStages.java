package dev.tandem.gpu;

import dev.tandem.gpu.device.Launch;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Value;

/** The best columns of each row: of each chunk of the vocabulary first, then of all chunks. */
final class RankStages {
    private static final int THREADS = 256;
    private static final int CHUNK = 4096;
    private static final int LISTS_PER_CHUNK = 8;

    private final Workbench bench;
    private final Node node;
    private final Value x;

    RankStages(Workbench bench, Node node) {
        this.bench = bench;
        this.node = node;
        this.x = node.inputs().getFirst();
    }

    private int chunks() {
        return Launch.blocks(x.columns(), CHUNK);
    }

    /** Keys of the best of every list, a maximum and a sum per chunk. */
    private long work(int rows, int k) {
        return bench.work().reserve((long) rows * chunks() * (8L * LISTS_PER_CHUNK * k + 8));
    }

    private Launch part(String kernel, int k) {
        return bench.device().kernel(kernel, 6).set(1, 0L).set(4, x.columns()).set(5, k);
    }

    Stage topK(int k) {
        Launch part = part("top_k_part", k);
        Launch sum = part("top_k_sum", k);
        Launch last =
                bench.device().kernel("top_k_final", 8).set(6, x.columns()).set(7, k);
        return context -> {
            int rows = context.rows(x);
            if (rows == 0) {
                return;
            }
            long work = work(rows, k);
            long temperatures = node.inputs().size() == 1
                    ? 0
                    : context.address(node.inputs().get(1));
            for (Launch launch : new Launch[] {part, sum, last}) {
                launch.set(0, context.address(x)).set(1, temperatures).set(2, work);
            }
            part.set(3, rows).run(chunks(), rows, THREADS);
            sum.set(3, rows).run(chunks(), rows, THREADS);
            last.set(3, context.address(node.outputs().get(0)))
                    .set(4, context.address(node.outputs().get(1)))
                    .set(5, rows)
                    .run(rows, 1, THREADS);
        };
    }

    Stage argMax() {
        Launch part = part("top_k_part", 1);
        Launch last = bench.device().kernel("arg_max", 4).set(3, x.columns());
        return context -> {
            int rows = context.rows(x);
            if (rows == 0) {
                return;
            }
            long work = work(rows, 1);
            part.set(0, context.address(x)).set(2, work).set(3, rows).run(chunks(), rows, THREADS);
            last.set(0, work)
                    .set(1, context.address(node.output()))
                    .set(2, rows)
                    .run(rows, 1, THREADS);
        };
    }
}
