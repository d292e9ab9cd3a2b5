package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class BytePairMergerTests {
    private record Merge(int left, int right, int result) {}

    @Test
    void mergesAsThePlainDefinitionDoes() {
        for (long seed = 0; seed < 3_000; seed++) {
            Random random = new Random(seed);
            List<Merge> merges = randomMerges(random, 4, 40);
            List<Integer> word = new ArrayList<>();
            for (int i = random.nextInt(120); i > 0; i--) {
                word.add(random.nextInt(4));
            }
            assertEquals(plain(merges, word), merged(merges, word), "seed " + seed);
        }
    }

    @Test
    void mergesLeftmostFirstAmongEquals() {
        List<Merge> merges = List.of(new Merge(0, 0, 1));
        assertEquals(List.of(1, 1, 0), merged(merges, List.of(0, 0, 0, 0, 0)));
    }

    @Test
    void keepsTheEarlierRankOfAPairThatComesTwice() {
        List<Merge> merges = List.of(new Merge(0, 1, 2), new Merge(1, 0, 3), new Merge(0, 1, 4));
        assertEquals(List.of(2, 0), merged(merges, List.of(0, 1, 0)));
    }

    @Test
    void leavesUnknownBytesAlone() {
        List<Merge> merges = List.of(new Merge(0, 0, 1));
        assertEquals(List.of(1, -1, 0, -1), merged(merges, List.of(0, 0, -1, 0, -1)));
    }

    @Test
    void mergesAMillionBytesIntoOneToken() {
        List<Merge> merges = new ArrayList<>();
        for (int id = 0; id < 20; id++) {
            merges.add(new Merge(id, id, id + 1));
        }
        BytePairMerger merger = new BytePairMerger(table(merges));
        for (int i = 0; i < 1 << 20; i++) {
            merger.add(0);
        }
        merger.merge();
        assertEquals(20, merger.token(merger.first()));
        assertEquals(-1, merger.after(merger.first()));
    }

    private static List<Merge> randomMerges(Random random, int letters, int count) {
        List<Merge> merges = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            merges.add(new Merge(random.nextInt(letters + i), random.nextInt(letters + i), letters + i));
        }
        return merges;
    }

    private static MergeTable table(List<Merge> merges) {
        MergeTable table = new MergeTable(merges.size());
        for (int rank = 0; rank < merges.size(); rank++) {
            Merge merge = merges.get(rank);
            table.add(rank, merge.left(), merge.right(), merge.result());
        }
        return table;
    }

    private static List<Integer> merged(List<Merge> merges, List<Integer> word) {
        BytePairMerger merger = new BytePairMerger(table(merges));
        merger.add(3);
        merger.clear();
        word.forEach(merger::add);
        merger.merge();
        List<Integer> ids = new ArrayList<>();
        for (int i = merger.first(); i >= 0; i = merger.after(i)) {
            ids.add(merger.token(i));
        }
        return ids;
    }

    /** Looks for the earliest merge that applies, applies it at its first place, and starts over. */
    private static List<Integer> plain(List<Merge> merges, List<Integer> word) {
        List<Integer> ids = new ArrayList<>(word);
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int rank = 0; rank < merges.size() && !changed; rank++) {
                Merge merge = merges.get(rank);
                for (int i = 0; i + 1 < ids.size() && !changed; i++) {
                    if (ids.get(i) == merge.left() && ids.get(i + 1) == merge.right()) {
                        ids.subList(i, i + 2).clear();
                        ids.add(i, merge.result());
                        changed = true;
                    }
                }
            }
        }
        return ids;
    }
}
