package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class TokenHistoryTests {
    private static final long SEED = 20260104;

    @Test
    void readsSegmentsAsOneSequence() {
        Random random = new Random(SEED);
        for (int round = 0; round < 100; round++) {
            int[] ids = random.ints(random.nextInt(30), 0, 1000).toArray();
            TokenHistory history = cut(ids, random);
            assertEquals(ids.length, history.size());
            for (int i = 0; i < ids.length; i++) {
                assertEquals(ids[i], history.get(i), "seed " + SEED + ", round " + round);
            }
            int n = random.nextInt(ids.length + 1);
            int[] last = new int[n];
            history.copyLast(n, last);
            assertArrayEquals(Arrays.copyOfRange(ids, ids.length - n, ids.length), last, "round " + round);
        }
    }

    private static TokenHistory cut(int[] ids, Random random) {
        int start = random.nextInt(ids.length + 1);
        TokenHistory history = TokenHistory.of(ids, start);
        while (start < ids.length) {
            int length = random.nextInt(ids.length - start + 1);
            history = history.followedBy(Arrays.copyOfRange(ids, start, start + length), length);
            start += length;
        }
        return history;
    }

    @Test
    void aPathLeavesTheHistoryBeforeItAlone() {
        int[] committed = {1, 2, 3, 0, 0};
        TokenHistory history = TokenHistory.of(committed, 3);
        TokenHistory left = history.followedBy(new int[] {7, 8}, 1);
        TokenHistory right = history.followedBy(new int[] {9}, 1);
        committed[3] = 4; // behind the view's end: the next commit
        assertEquals(3, history.size());
        assertEquals(4, left.size());
        assertEquals(7, left.get(3));
        assertEquals(9, right.get(3));
    }

    @Test
    void refusesWhatIsOutside() {
        TokenHistory history = TokenHistory.of(new int[] {1, 2, 3}, 2);
        assertThrows(IndexOutOfBoundsException.class, () -> history.get(2));
        assertThrows(IndexOutOfBoundsException.class, () -> history.get(-1));
        assertThrows(IndexOutOfBoundsException.class, () -> TokenHistory.of(new int[2], 3));
        assertThrows(IndexOutOfBoundsException.class, () -> TokenHistory.EMPTY.get(0));
    }
}
