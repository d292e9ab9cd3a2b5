package dev.tandem.runtime.sampling;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The newer links of the sampler's chain, written plainly in double precision over maps from id to logit. */
final class PlainStages {
    private PlainStages() {}

    static Set<Integer> withinSigmas(float[] row, List<Integer> ids, double n) {
        double mean = ids.stream().mapToDouble(id -> row[id]).average().orElseThrow();
        double variance = ids.stream()
                .mapToDouble(id -> (row[id] - mean) * (row[id] - mean))
                .average()
                .orElseThrow();
        double max = ids.stream().mapToDouble(id -> row[id]).max().orElseThrow();
        Set<Integer> kept = new TreeSet<>(ids);
        kept.removeIf(id -> row[id] < max - n * Math.sqrt(variance));
        return kept;
    }

    static double entropy(double[] probabilities, List<Integer> ids) {
        return ids.stream()
                .mapToDouble(id -> -probabilities[id] * Math.log(probabilities[id]))
                .sum();
    }

    static Set<Integer> typical(float[] row, List<Integer> ids, double share) {
        double[] p = Rows.softmax(row, ids, 1);
        double entropy = entropy(p, ids);
        List<Integer> sorted = new ArrayList<>(ids);
        sorted.sort(Comparator.comparingDouble(id -> Math.abs(-Math.log(p[id]) - entropy)));
        Set<Integer> kept = new TreeSet<>();
        double mass = 0;
        for (int id : sorted) {
            kept.add(id);
            mass += p[id];
            if (mass >= share) {
                break;
            }
        }
        return kept;
    }

    static Set<Integer> withoutTopChoices(float[] row, List<Integer> ranked, double threshold) {
        double[] p = Rows.softmax(row, ranked, 1);
        long likely = ranked.stream().filter(id -> p[id] >= threshold).count();
        return new TreeSet<>(ranked.subList((int) Math.max(0, likely - 1), ranked.size()));
    }

    static double dynamicTemperature(float[] row, List<Integer> ids, double low, double high, double exponent) {
        double share = entropy(Rows.softmax(row, ids, 1), ids) / Math.log(ids.size());
        return low + (high - low) * Math.pow(share, exponent);
    }

    /** What each id loses, by comparing the end of the history with every place in it. */
    static SortedMap<Integer, Double> losses(int[] history, Set<Integer> breakers, DryOptions options) {
        SortedMap<Integer, Double> losses = new TreeMap<>();
        int start = options.lastN() < 0 ? 0 : Math.max(0, history.length - options.lastN());
        for (int at = start + 1; at < history.length; at++) {
            int length = 0;
            while (at - 1 - length >= start
                    && history[at - 1 - length] == history[history.length - 1 - length]
                    && !breakers.contains(history[at - 1 - length])) {
                length++;
            }
            if (length >= options.allowedLength() && !breakers.contains(history[at])) {
                losses.merge(
                        history[at],
                        options.multiplier() * Math.pow(options.base(), length - options.allowedLength()),
                        Math::max);
            }
        }
        return losses;
    }
}
