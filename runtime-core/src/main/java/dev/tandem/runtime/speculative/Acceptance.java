package dev.tandem.runtime.speculative;

/** What is known of how many guesses of a round come true, from the rounds so far. One thread at a time. */
interface Acceptance {
    /**
     * Expected tokens of a round, the target's own included.
     *
     * @param guesses asked for
     */
    double tokens(int guesses);

    /** How many guesses have been seen often enough to be believed, counted from the first. */
    int trusted();

    /**
     * A round is over.
     *
     * @param tree the guesses
     * @param path rows confirmed, from row 0 on
     * @param goesOn whether the token after the path was judged; else the generation ended at it
     */
    void observe(DraftTree tree, int[] path, boolean goesOn);
}
