package dev.tandem.runtime.tokenizer;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Another implementation of tokenizers, native, set up from a vocabulary and rules in the form that it reads. */
final class ReferenceTokenizer implements AutoCloseable {
    static {
        // It is in its jar, and it must neither look for another one nor tell anybody that it runs.
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("OPT_OUT_TRACKING", "true");
    }

    private final HuggingFaceTokenizer tokenizer;

    private ReferenceTokenizer(HuggingFaceTokenizer tokenizer) {
        this.tokenizer = tokenizer;
    }

    /** Byte-level BPE over a vocabulary, cut by patterns in stages. */
    static ReferenceTokenizer byteLevel(FakeModel model, List<String> stages, boolean wholeWords) {
        ObjectNode root = root();
        ObjectNode sequence = root.putObject("pre_tokenizer").put("type", "Sequence");
        ArrayNode steps = sequence.putArray("pretokenizers");
        for (String stage : stages) {
            steps.addObject()
                    .put("type", "Split")
                    .put("behavior", "Isolated")
                    .put("invert", false)
                    .putObject("pattern")
                    .put("Regex", stage);
        }
        steps.addObject()
                .put("type", "ByteLevel")
                .put("add_prefix_space", false)
                .put("trim_offsets", false)
                .put("use_regex", false);
        ObjectNode bpe = bpe(root, model).put("byte_fallback", false).put("ignore_merges", wholeWords);
        ArrayNode merges = bpe.putArray("merges");
        model.texts("tokenizer.ggml.merges").orElseThrow().forEach(merges::add);
        return open(root);
    }

    /** SentencePiece as BPE: every way to put a token together from two others is a merge, in the order of the scores. */
    static ReferenceTokenizer sentencePiece(FakeModel model, boolean prefixesSpace) {
        ObjectNode root = root();
        ArrayNode steps = root.putObject("normalizer").put("type", "Sequence").putArray("normalizers");
        if (prefixesSpace) {
            steps.addObject().put("type", "Prepend").put("prepend", "\u2581");
        }
        steps.addObject()
                .put("type", "Replace")
                .put("content", "\u2581")
                .putObject("pattern")
                .put("String", " ");
        ObjectNode bpe = bpe(root, model)
                .put("byte_fallback", true)
                .put("ignore_merges", false)
                .put("unk_token", "<unk>")
                .put("fuse_unk", true);
        ArrayNode merges = bpe.putArray("merges");
        pairs(model).forEach(pair -> merges.addArray().add(pair.left()).add(pair.right()));
        return open(root);
    }

    private record Pair(String left, String right, double score) {}

    private static List<Pair> pairs(FakeModel model) {
        List<String> tokens = model.texts("tokenizer.ggml.tokens").orElseThrow();
        List<Double> scores = model.reals("tokenizer.ggml.scores").orElseThrow();
        Vocabulary vocabulary = new Vocabulary(
                tokens,
                model.integers("tokenizer.ggml.token_type").orElseThrow().stream()
                        .map(number -> TokenType.of(number).orElseThrow())
                        .toList());
        List<Pair> pairs = new ArrayList<>();
        for (int id = 0; id < tokens.size(); id++) {
            String token = tokens.get(id);
            for (int cut = 1; cut < token.length() && vocabulary.type(id).isText(); cut++) {
                String left = token.substring(0, cut);
                String right = token.substring(cut);
                if (vocabulary.id(left).isPresent() && vocabulary.id(right).isPresent()) {
                    pairs.add(new Pair(left, right, scores.get(id)));
                }
            }
        }
        pairs.sort((a, b) -> Double.compare(b.score(), a.score()));
        return pairs;
    }

    private static ObjectNode root() {
        return JsonMapper.shared().createObjectNode().put("version", "1.0");
    }

    private static ObjectNode bpe(ObjectNode root, FakeModel model) {
        ObjectNode bpe = root.putObject("model").put("type", "BPE");
        ObjectNode vocabulary = bpe.putObject("vocab");
        List<String> tokens = model.texts("tokenizer.ggml.tokens").orElseThrow();
        for (int id = 0; id < tokens.size(); id++) {
            vocabulary.put(tokens.get(id), id);
        }
        return bpe;
    }

    private static ReferenceTokenizer open(ObjectNode root) {
        try {
            byte[] json = JsonMapper.shared().writeValueAsBytes(root);
            return new ReferenceTokenizer(HuggingFaceTokenizer.newInstance(new ByteArrayInputStream(json), Map.of()));
        } catch (UnsatisfiedLinkError | IllegalStateException | IOException e) {
            Assumptions.abort("the reference tokenizer has no native library for this machine: " + e);
            throw new IllegalStateException(e);
        }
    }

    List<Integer> ids(String text) {
        return integers(tokenizer.encode(text, false, false).getIds());
    }

    /** By token, the number of the word that it belongs to. */
    List<Integer> wordNumbers(String text) {
        return integers(tokenizer.encode(text, false, false).getWordIds());
    }

    private static List<Integer> integers(long[] values) {
        List<Integer> list = new ArrayList<>(values.length);
        for (long value : values) {
            list.add((int) value);
        }
        return list;
    }

    @Override
    public void close() {
        tokenizer.close();
    }
}
