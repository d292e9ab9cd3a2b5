package dev.tandem.spi.numeric;

/** Keeps the best k ids offered: a binary heap whose root is the worst one kept. Not thread-safe. */
final class RankHeap {
    private final float[] values;
    private final int offset;
    private final int[] ids;
    private int size;

    RankHeap(float[] values, int offset, int k) {
        this.values = values;
        this.offset = offset;
        this.ids = new int[k];
    }

    void offer(int id) {
        if (size < ids.length) {
            ids[size] = id;
            size++;
            siftUp(size - 1);
        } else if (ranksBefore(id, ids[0])) {
            ids[0] = id;
            siftDown();
        }
    }

    /** Empties the heap into an array, best first. */
    int[] drain() {
        int[] ordered = new int[size];
        while (size > 0) {
            ordered[size - 1] = ids[0];
            size--;
            ids[0] = ids[size];
            siftDown();
        }
        return ordered;
    }

    private boolean ranksBefore(int id, int otherId) {
        return Sums.compareRank(values[offset + id], id, values[offset + otherId], otherId) < 0;
    }

    private void siftUp(int start) {
        int child = start;
        while (child > 0 && ranksBefore(ids[(child - 1) / 2], ids[child])) {
            swap(child, (child - 1) / 2);
            child = (child - 1) / 2;
        }
    }

    private void siftDown() {
        int parent = 0;
        while (2 * parent + 1 < size) {
            int worst = 2 * parent + 1;
            if (worst + 1 < size && ranksBefore(ids[worst], ids[worst + 1])) {
                worst++;
            }
            if (!ranksBefore(ids[parent], ids[worst])) {
                return;
            }
            swap(parent, worst);
            parent = worst;
        }
    }

    private void swap(int a, int b) {
        int held = ids[a];
        ids[a] = ids[b];
        ids[b] = held;
    }
}
