package dev.tandem.runtime.sampling;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ids that stand before the token to choose: a view of the committed ids, perhaps with a speculated path after
 * them.
 *
 * <p>A view copies nothing and never changes its length, so every node of a draft tree can have its own history on top
 * of one committed array. The arrays stay the caller's: entries inside a view must keep their value while it is used;
 * entries behind its end may be written at any time.
 */
public final class TokenHistory {
    /** A history of no ids. */
    public static final TokenHistory EMPTY = new TokenHistory(null, new int[0], 0);

    private final @Nullable TokenHistory before;
    private final int start;
    private final int[] ids;
    private final int count;

    private TokenHistory(@Nullable TokenHistory before, int[] ids, int count) {
        this.before = before;
        this.start = before == null ? 0 : before.size();
        this.ids = ids;
        Objects.checkFromToIndex(0, count, ids.length);
        this.count = count;
    }

    /**
     * A view of the first ids of an array.
     *
     * @param ids ids, oldest first; not copied
     * @param count how many of them belong to the history
     * @return the history
     */
    public static TokenHistory of(int[] ids, int count) {
        return new TokenHistory(null, ids, count);
    }

    /**
     * This history followed by a path that is not committed; this history is unchanged.
     *
     * @param path ids, oldest first; not copied
     * @param length how many of them belong to the path
     * @return the longer history
     */
    public TokenHistory followedBy(int[] path, int length) {
        return new TokenHistory(this, path, length);
    }

    /**
     * Number of ids.
     *
     * @return the number, path included
     */
    public int size() {
        return start + count;
    }

    /**
     * The id at an index.
     *
     * @param index 0 for the oldest
     * @return the id
     * @throws IndexOutOfBoundsException where there is no such index
     */
    public int get(int index) {
        Objects.checkIndex(index, size());
        TokenHistory segment = this;
        while (index < segment.start) {
            segment = Objects.requireNonNull(segment.before);
        }
        return segment.ids[index - segment.start];
    }

    /** Copies the newest {@code n} ids, oldest first, to the start of {@code target}. */
    void copyLast(int n, int[] target) {
        int left = n;
        TokenHistory segment = this;
        while (left > 0) {
            int taken = Math.min(left, segment.count);
            left -= taken;
            System.arraycopy(segment.ids, segment.count - taken, target, left, taken);
            segment = segment.before == null ? segment : segment.before;
        }
    }
}
