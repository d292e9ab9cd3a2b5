package dev.tandem.runtime.tokenizer;

/** What a kind of tokenizer was compared with; each value but the last stands for a test that makes the comparison. */
public enum Evidence {
    /** Ids that an independent tokenizer made of published text, with a real vocabulary of the family. */
    VECTORS("identical to golden vectors of a real vocabulary"),
    /** An independent tokenizer that runs the published rules over random text, with a vocabulary of another family. */
    REFERENCE("rules identical to another implementation on random text; no vectors of a real vocabulary"),
    /** Nothing yet. */
    NONE("not verified");

    private final String label;

    Evidence(String label) {
        this.label = label;
    }

    /** The finding in a few words. */
    public String label() {
        return label;
    }
}
