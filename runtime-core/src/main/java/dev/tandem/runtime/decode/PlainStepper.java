package dev.tandem.runtime.decode;

/** One token at a time. */
public final class PlainStepper implements Stepper {
    private final LiveSequence sequence;
    private final float[] logits;

    /**
     * Steps over a sequence.
     *
     * @param sequence receives the tokens
     */
    public PlainStepper(LiveSequence sequence) {
        this.sequence = sequence;
        this.logits = new float[sequence.target().vocabulary()];
    }

    @Override
    public boolean step(Generation generation) {
        sequence.append(new int[] {generation.lastToken()}, logits);
        return generation.choose(logits, 0);
    }
}
