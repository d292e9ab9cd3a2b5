package dev.tandem.runtime.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.model.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of tokenizer against another implementation, over random text. A row that is not here is not verified. */
final class ReferenceTokenizerTests {
    static final List<PreTokenization> TABLE = PreTokenization.TABLE;

    @ParameterizedTest
    @FieldSource("TABLE")
    void cutsAndEncodesRandomTextAsTheReferenceDoes(PreTokenization row) {
        FakeModel model = SmallVocabulary.model(row.name(), List.of());
        Tokenizer tokenizer = Tokenizers.from(model);
        List<String> stages = PublishedPatterns.of(row.name());
        try (ReferenceTokenizer reference = ReferenceTokenizer.byteLevel(model, stages, row.wholeWords())) {
            for (long seed = 0; seed < 2_000; seed++) {
                String text = new RandomText(seed).next(24);
                String where = row.name() + ", seed " + seed + ": " + text;
                assertEquals(reference.ids(text), ids(tokenizer, text), where);
                assertEquals(reference.wordNumbers(text), wordNumbers(row, tokenizer, text), where);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt-2", "llama-bpe", "qwen2"})
    void encodesRandomTextWithARealVocabularyAsTheReferenceDoes(String name) throws IOException {
        FakeModel model = real("tokenizers/ggml-vocab-" + name + ".gguf", "tokens", "merges", "token_type");
        PreTokenization row =
                TABLE.stream().filter(r -> r.name().equals(name)).findFirst().orElseThrow();
        Tokenizer tokenizer = Tokenizers.from(model.with("model", "gpt2").with("pre", name));
        List<String> stages = PublishedPatterns.of(name);
        try (ReferenceTokenizer reference = ReferenceTokenizer.byteLevel(model, stages, row.wholeWords())) {
            compare(reference, tokenizer);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void encodesRandomTextBySentencePieceAsTheReferenceDoes(boolean prefixesSpace) throws IOException {
        FakeModel model = real("tokenizers/ggml-vocab-llama-spm.gguf", "tokens", "scores", "token_type")
                .with("model", "llama")
                .with("add_space_prefix", prefixesSpace);
        try (ReferenceTokenizer reference = ReferenceTokenizer.sentencePiece(model, prefixesSpace)) {
            compare(reference, Tokenizers.from(model));
        }
    }

    private static void compare(ReferenceTokenizer reference, Tokenizer tokenizer) {
        for (long seed = 0; seed < 2_000; seed++) {
            String text = new RandomText(seed).next(24);
            // An empty text gets no space in front here, and one there.
            if (!text.isEmpty()) {
                assertEquals(reference.ids(text), ids(tokenizer, text), "seed " + seed + ": " + text);
            }
        }
    }

    private static List<Integer> ids(Tokenizer tokenizer, String text) {
        return Arrays.stream(tokenizer.encode(text, EncodeOptions.TEXT)).boxed().toList();
    }

    /** By token, the number of the word in which it begins. */
    private static List<Integer> wordNumbers(PreTokenization row, Tokenizer tokenizer, String text) {
        List<Integer> wordStarts = new ArrayList<>();
        row.preTokenizer()
                .split(text, 0, text.length(), (from, to) -> wordStarts.add(CodePoints.utf8Length(text, 0, from)));
        List<Integer> numbers = new ArrayList<>();
        int word = 0;
        for (int start : tokenizer.encodeWithOffsets(text, EncodeOptions.TEXT).starts()) {
            while (word + 1 < wordStarts.size() && wordStarts.get(word + 1) <= start) {
                word++;
            }
            numbers.add(word);
        }
        return numbers;
    }

    private static FakeModel real(String name, String... keys) throws IOException {
        FakeModel model = new FakeModel();
        try (GgufFile file = GgufFile.open(GoldenTokens.file(name))) {
            Metadata metadata = file.metadata();
            for (String key : keys) {
                String full = "tokenizer.ggml." + key;
                model.with(
                        key,
                        switch (key) {
                            case "scores" -> metadata.reals(full).orElseThrow();
                            case "token_type" -> metadata.integers(full).orElseThrow();
                            default -> metadata.texts(full).orElseThrow();
                        });
            }
        }
        return model;
    }
}
