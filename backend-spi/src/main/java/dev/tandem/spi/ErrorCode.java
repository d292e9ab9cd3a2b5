package dev.tandem.spi;

/** What went wrong, and the remedy to print where the place that failed knows none better. */
public enum ErrorCode {
    /** An option or argument cannot be used as given. */
    BAD_ARGUMENT("See --help for the accepted values."),
    /** The prompt and the answer do not fit the context. */
    CONTEXT_FULL("Shorten the prompt, or raise the context with --ctx."),
    /** A plugin asked for by name is not there or cannot run. */
    BACKEND_UNAVAILABLE("Run 'tandem doctor' to see every plugin and its state."),
    /** Generation was stopped from outside. */
    CANCELLED("Run the command again."),
    /** A result could not be written. */
    OUTPUT_FAILED("Check that the target exists, is writable and has free space."),
    /** The model file is missing or unreadable. */
    FILE_UNREADABLE("Check the path and its permissions."),
    /** The file is no GGUF file, or a version that is not supported. */
    FILE_FORMAT("Give a GGUF file of version 2 or 3, little-endian."),
    /** A count, offset, length or value inside the file is wrong. */
    FILE_CORRUPT("Download or convert the file again."),
    /** The file changed or shrank while in use. */
    FILE_CHANGED("Do not change a model file while it is in use; run again."),
    /** The architecture, tokenizer or a tensor type is not supported. */
    MODEL_UNSUPPORTED("Use a model of a supported architecture; 'tandem inspect' shows what the file holds."),
    /** A tensor is missing, or metadata and tensors disagree. */
    MODEL_INCONSISTENT("Convert the model again with a current converter."),
    /** A plugin broke its contract or could not be loaded. */
    PLUGIN_FAULT("Remove or update the plugin; 'tandem doctor' names its jar."),
    /** The device has no room. */
    OUT_OF_MEMORY("Use a smaller context (--ctx), a smaller quantisation, or another backend."),
    /** The device stopped answering. */
    DEVICE_LOST("Run again with --backend cpu; check the driver's log."),
    /** A logit is not a number: the model file or the device computes nonsense. */
    NOT_A_NUMBER("Check the model file; compare with --backend cpu --precision reference.");

    private final String remedy;

    ErrorCode(String remedy) {
        this.remedy = remedy;
    }

    /**
     * What to do next, in general.
     *
     * @return one sentence
     */
    public String remedy() {
        return remedy;
    }
}
