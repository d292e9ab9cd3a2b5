package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Makes the tokenizer that a model file describes. */
public final class Tokenizers {
    /** What the format's own models without a tokenizer say. */
    private static final List<String> NO_TOKENIZER = List.of("none", "no_vocab", "test");

    private Tokenizers() {}

    /**
     * A kind of tokenizer that can be read.
     *
     * @param model {@code tokenizer.ggml.model} in the file
     * @param name {@code tokenizer.ggml.pre} in the file, or the family
     * @param aliases other names of the same rules
     * @param evidence what it was compared with
     */
    public record Kind(String model, String name, List<String> aliases, Evidence evidence) {}

    /**
     * All kinds that can be read.
     *
     * @return one entry for each set of rules
     */
    public static List<Kind> kinds() {
        List<Kind> kinds = new ArrayList<>();
        for (PreTokenization row : PreTokenization.TABLE) {
            kinds.add(new Kind("gpt2", row.name(), row.aliases(), row.evidence()));
        }
        kinds.add(new Kind("llama", "with space prefix", List.of("Llama 2", "Mistral", "Phi-3"), Evidence.VECTORS));
        kinds.add(new Kind("llama", "without space prefix", List.of("Gemma"), Evidence.REFERENCE));
        return List.copyOf(kinds);
    }

    /**
     * Reads a file's tokenizer.
     *
     * <p>Read are the keys {@code tokenizer.ggml.}: {@code model}, {@code pre}, {@code tokens}, {@code token_type},
     * {@code merges}, {@code scores}, {@code add_space_prefix}, {@code add_bos_token}, {@code add_eos_token} and the token
     * ids {@code bos, eos, eot, eom, unknown}{@code _token_id}. A file without any of them, or whose model is {@code none},
     * {@code no_vocab} or {@code test}, gives a tokenizer that refuses text.
     *
     * @param model an open file; it is not needed afterwards
     * @return a tokenizer independent of the file
     * @throws dev.tandem.spi.ModelFileException where the kind is not supported, or keys are missing or contradict one
     *     another
     */
    public static Tokenizer from(ModelView model) {
        TokenizerMetadata metadata = new TokenizerMetadata(model);
        Optional<String> kind = metadata.text("model");
        if (kind.isEmpty() && !metadata.has("tokens")
                || kind.filter(NO_TOKENIZER::contains).isPresent()) {
            return withoutText(metadata, model);
        }
        return switch (kind.orElseThrow(() -> metadata.inconsistent("model", "is missing"))) {
            case "gpt2" -> byteLevel(metadata);
            case "llama" -> sentencePiece(metadata);
            default ->
                throw metadata.unsupported(
                        "model",
                        "names the kind '" + kind.get() + "', which is not supported",
                        "Use a model whose tokenizer is of the kind gpt2 (byte-level BPE) or llama (SentencePiece).");
        };
    }

    private static Tokenizer byteLevel(TokenizerMetadata metadata) {
        PreTokenization rules = PreTokenization.of(metadata);
        Vocabulary vocabulary = metadata.vocabulary();
        List<String> notes = metadata.has("pre")
                ? List.of()
                : List.of("the model file does not say how to cut text into words; the guess made of it fits few models"
                        + " well, and a file made by a current converter says it (tokenizer.ggml.pre)");
        return new Tokenizer(
                metadata,
                vocabulary,
                ByteLevelBpe.read(metadata, vocabulary, rules),
                new Tokenizer.Defaults(rules.addsBos(), OptionalInt.empty(), OptionalInt.empty(), notes));
    }

    private static Tokenizer sentencePiece(TokenizerMetadata metadata) {
        Vocabulary vocabulary = metadata.vocabulary();
        return new Tokenizer(
                metadata,
                vocabulary,
                SentencePiece.read(metadata, vocabulary),
                // The ids of SentencePiece's own <s> and </s>.
                new Tokenizer.Defaults(true, vocabulary.control(1), vocabulary.control(2), List.of()));
    }

    /** Ids are those of the embedding's rows. */
    private static Tokenizer withoutText(TokenizerMetadata metadata, ModelView model) {
        long rows = model.tensor("token_embd.weight")
                .map(TensorInfo::shape)
                .map(List::getFirst)
                .orElse(0L);
        Vocabulary vocabulary = Vocabulary.blank(Math.toIntExact(Math.clamp(rows, 0, Integer.MAX_VALUE)));
        return new Tokenizer(
                metadata,
                vocabulary,
                new NoText(metadata.file()),
                new Tokenizer.Defaults(false, OptionalInt.empty(), OptionalInt.empty(), List.of()));
    }
}
