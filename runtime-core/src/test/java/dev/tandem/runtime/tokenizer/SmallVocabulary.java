package dev.tandem.runtime.tokenizer;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The vocabulary of the tiny golden models, 1024 tokens: 256 bytes, 764 merges, 4 control tokens. */
final class SmallVocabulary {
    static final List<String> CONTROL = List.of("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|mask|>");

    private SmallVocabulary() {}

    /** A file with this vocabulary and the given control tokens. */
    static FakeModel model(String pre, List<String> control) {
        List<String> merges = resource("merges.txt").lines().toList();
        List<String> tokens = new ArrayList<>();
        for (int b = 0; b < 256; b++) {
            tokens.add(Character.toString(ByteAlphabet.charOf(b)));
        }
        Collections.sort(tokens);
        merges.forEach(merge -> tokens.add(merge.replace(" ", "")));
        List<Long> types = new ArrayList<>(Collections.nCopies(tokens.size(), 1L));
        tokens.addAll(control);
        types.addAll(Collections.nCopies(control.size(), 3L));
        return new FakeModel()
                .with("model", "gpt2")
                .with("pre", pre)
                .with("tokens", tokens)
                .with("token_type", types)
                .with("merges", merges);
    }

    static FakeModel model() {
        return model("qwen2", CONTROL);
    }

    static String resource(String name) {
        try (InputStream in = SmallVocabulary.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing test resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
