package dev.tandem.runtime.sampling;

import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Seeded rows of logits, and the sampler's stages written plainly in double precision. */
final class Rows {
    private Rows() {}

    /** Logits that spread like a trained model's. */
    static float[] random(Random random, int vocabulary) {
        float[] row = new float[vocabulary];
        for (int id = 0; id < vocabulary; id++) {
            row[id] = (float) (random.nextGaussian() * 4 - 3);
        }
        return row;
    }

    /** Logits of few distinct values, both zeros among them. */
    static float[] tied(Random random, int vocabulary) {
        float[] values = {-2f, -0f, 0f, 0.5f, 3f};
        float[] row = new float[vocabulary];
        for (int id = 0; id < vocabulary; id++) {
            row[id] = values[random.nextInt(values.length)];
        }
        return row;
    }

    /** Every id of a row, ranked. */
    static List<Integer> ranked(float[] row) {
        ToDoubleFunction<Integer> value = id -> row[id] + 0f; // -0 becomes +0
        return IntStream.range(0, row.length)
                .boxed()
                .sorted(Comparator.comparingDouble(value).reversed().thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** Softmax over some ids of a row, by id; the ids that are left out have probability 0. */
    static double[] softmax(float[] row, List<Integer> ids, double temperature) {
        double max = ids.stream().mapToDouble(id -> row[id]).max().orElseThrow();
        double total = ids.stream()
                .mapToDouble(id -> Math.exp((row[id] - max) / temperature))
                .sum();
        double[] probabilities = new double[row.length];
        ids.forEach(id -> probabilities[id] = Math.exp((row[id] - max) / temperature) / total);
        return probabilities;
    }

    /** The ids that top-k, top-p and min-p leave, ranked. */
    static List<Integer> survivors(float[] row, SamplingOptions options) {
        List<Integer> ids = ranked(row);
        if (options.topK() > 0) {
            ids = ids.subList(0, Math.min(options.topK(), ids.size()));
        }
        double[] probabilities = softmax(row, ids, 1);
        int kept = 0;
        double mass = 0;
        while (kept < ids.size() && (kept == 0 || mass < (double) options.topP())) {
            mass += probabilities[ids.get(kept)];
            kept++;
        }
        double greatest = probabilities[ids.get(0)];
        return ids.subList(0, kept).stream()
                .filter(id -> probabilities[id] >= options.minP() * greatest)
                .toList();
    }

    /** The candidates of a row. */
    static Candidates candidates(float[] row) {
        Candidates candidates = new Candidates();
        candidates.load(row, 0, row.length);
        return candidates;
    }

    static List<Integer> ids(Candidates candidates) {
        return IntStream.range(0, candidates.size()).map(candidates::id).boxed().toList();
    }
}
