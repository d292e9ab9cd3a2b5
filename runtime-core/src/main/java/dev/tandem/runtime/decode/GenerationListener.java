package dev.tandem.runtime.decode;

/** Hears a generation as it goes, on the generating thread. What a listener throws ends the generation. */
public interface GenerationListener {
    /** Hears nothing. */
    GenerationListener NONE = new GenerationListener() {};

    /**
     * Some of the prompt has been run.
     *
     * @param done prompt tokens so far
     * @param total prompt tokens
     */
    default void onPrefill(int done, int total) {}

    /**
     * State is rebuilt after the loss of a device.
     *
     * @param done tokens so far
     * @param total tokens to run again
     */
    default void onRestore(int done, int total) {}

    /**
     * Something happened that the user should know.
     *
     * @param notice one sentence
     */
    default void onNotice(String notice) {}

    /**
     * A token is being chosen; the row is the model's own, before bias, penalties and grammar.
     *
     * @param id the token
     * @param logits holds the row; not to be changed, nor read after the call
     * @param offset logit of id 0
     * @param vocabulary number of logits
     */
    default void onChoice(int id, float[] logits, int offset, int vocabulary) {}

    /**
     * A token was chosen.
     *
     * @param id the token
     */
    default void onToken(int id) {}

    /**
     * Text is final: whole characters, and no beginning of a stop string.
     *
     * @param text not empty
     */
    default void onText(String text) {}
}
