package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.model.ModelView;

/** Makes the tokenizer that a model file describes. */
public final class Tokenizers {
    private Tokenizers() {}

    /**
     * Reads a file's tokenizer.
     *
     * <p>Read are the keys {@code tokenizer.ggml.}: {@code model}, {@code pre}, {@code tokens}, {@code token_type},
     * {@code merges}, {@code add_bos_token} and the token ids {@code bos, eos, eot, eom, unknown}{@code _token_id}.
     *
     * @param model an open file; it is not needed afterwards
     * @return a tokenizer independent of the file
     * @throws dev.tandem.spi.ModelFileException where the kind is not supported, or keys are missing or contradict one
     *     another
     */
    public static Tokenizer from(ModelView model) {
        TokenizerMetadata metadata = new TokenizerMetadata(model);
        String kind = metadata.text("model").orElseThrow(() -> metadata.inconsistent("model", "is missing"));
        return switch (kind) {
            case "gpt2" -> byteLevel(metadata);
            default ->
                throw metadata.unsupported(
                        "model",
                        "names the kind '" + kind + "', which is not supported",
                        "Use a model with a byte-level vocabulary: tokenizer.ggml.model = gpt2.");
        };
    }

    private static Tokenizer byteLevel(TokenizerMetadata metadata) {
        PreTokenization rules = PreTokenization.of(metadata);
        Vocabulary vocabulary = metadata.vocabulary();
        return new Tokenizer(metadata, vocabulary, ByteLevelBpe.read(metadata, vocabulary, rules), rules.addsBos());
    }
}
