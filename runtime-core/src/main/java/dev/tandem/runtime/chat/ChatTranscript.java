package dev.tandem.runtime.chat;

/**
 * The text that a model has seen and written so far, so that a longer conversation costs only what is new.
 *
 * <p>Every turn renders the whole conversation again, since a template may change what came before: many drop the
 * thoughts of earlier answers. What both texts begin with can stay; {@link PromptDelta} says how much that is. Not
 * thread-safe.
 */
public final class ChatTranscript {
    private String text = "";

    /**
     * Goes on to a prompt.
     *
     * @param prompt the whole conversation, as {@link ChatTemplate#render} gives it
     * @return what of the text so far stays, and what follows it
     */
    public PromptDelta next(String prompt) {
        PromptDelta delta = PromptDelta.between(text, prompt);
        text = prompt;
        return delta;
    }

    /**
     * Adds what the model wrote, exactly as it wrote it.
     *
     * @param generated the text, with special tokens written out
     */
    public void answered(String generated) {
        text += generated;
    }

    /**
     * Everything so far.
     *
     * @return the text; empty at the beginning
     */
    public String text() {
        return text;
    }

    /** Forgets everything. */
    public void reset() {
        text = "";
    }
}
