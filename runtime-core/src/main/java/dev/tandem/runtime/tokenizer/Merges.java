package dev.tandem.runtime.tokenizer;

/** Which two adjacent tokens of a word merge, how early, and into what. */
interface Merges {
    /** The rank of a pair that does not merge; later than every other. */
    int NONE = Integer.MAX_VALUE;

    /**
     * How early a pair merges.
     *
     * @param left id of the left token, not negative
     * @param right id of the right token, not negative
     * @return the lower the earlier; equal ranks merge from left to right; NONE where the pair does not merge
     */
    int rank(int left, int right);

    /**
     * The token that a pair becomes.
     *
     * @param left id of the left token of a pair that merges
     * @param right id of its right token
     * @return an id, not negative
     */
    int result(int left, int right);
}
