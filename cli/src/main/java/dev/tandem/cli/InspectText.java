package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.ModelShape;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.TensorInfo;
import java.util.List;
import java.util.stream.Collectors;

/** An inspection for people. */
final class InspectText {
    private static final int INDENT = 2;
    private static final int ARRAY_ELEMENTS = 16;
    private static final int VALUE_COLUMNS = 100;
    private static final int NARROWEST_VALUE = 16;
    private static final int UNUSED_SHOWN = 12;

    private final Inspection inspection;
    private final GgufFile file;
    private final int columns;

    InspectText(Inspection inspection, int columns) {
        this.inspection = inspection;
        this.file = inspection.file();
        this.columns = columns;
    }

    /** Everything but tensors and graph. */
    String overview() {
        StringBuilder text = new StringBuilder();
        section(text, "file", fileLines());
        section(text, "metadata", metadata());
        inspection.model().ifPresent(model -> section(text, "model", modelLines(model.shape(), model.notes())));
        section(text, "tokenizer", tokenizerLines());
        section(text, "weights", weights());
        inspection
                .memory()
                .ifPresent(memory -> section(
                        text,
                        "memory for a context of " + memory.contextRows() + ", by type of keys and values",
                        memoryLines(memory)));
        return text.toString();
    }

    private void section(StringBuilder text, String title, String lines) {
        text.append(text.isEmpty() ? "" : "\n")
                .append(Text.indented(title, 0, columns))
                .append(lines);
    }

    private String fileLines() {
        Table table = new Table(1);
        for (GgufFile.Part part : file.parts()) {
            table.row(Text.oneLine(part.path().toString()), Text.bytes(part.bytes()));
        }
        String parts = file.parts().size() == 1 ? "" : ", " + file.parts().size() + " parts";
        String data = file.hasData() ? "" : ", header only: the tensor data is not there";
        return table.render(INDENT, columns)
                + Text.indented(
                        "GGUF version " + file.version() + ", " + Text.bytes(file.totalBytes()) + parts + data,
                        INDENT,
                        columns);
    }

    private String metadata() {
        int keyWidth =
                file.metadata().keys().stream().mapToInt(String::length).max().orElse(0);
        int room = Math.clamp(columns - INDENT - keyWidth - 2L, NARROWEST_VALUE, VALUE_COLUMNS);
        Table table = new Table();
        for (String key : file.metadata().keys()) {
            MetadataValue value = MetadataValue.of(file.metadata(), key, ARRAY_ELEMENTS);
            table.row(Text.oneLine(key), value.render(room));
        }
        return table.render(INDENT, columns);
    }

    private String modelLines(ModelShape shape, List<String> notes) {
        StringBuilder text = new StringBuilder();
        text.append(Text.indented(
                file.architecture() + ": " + Text.plural(shape.layers(), "layer") + ", hidden size " + shape.hidden()
                        + ", vocabulary " + shape.vocabulary() + ", context " + shape.contextLength(),
                INDENT,
                columns));
        notes.forEach(note -> line(text, note));
        return text.toString();
    }

    private String tokenizerLines() {
        TokenizerFacts facts = TokenizerFacts.of(file.metadata());
        StringBuilder text = new StringBuilder();
        line(
                text,
                facts.model().map(model -> "kind " + model).orElse("the file names no kind of tokenizer")
                        + facts.preTokenizer()
                                .map(name -> ", pre-tokenizer " + name)
                                .orElse("")
                        + ", " + Text.plural(facts.controls(), "control token") + ", "
                        + Text.plural(facts.added(), "added token"));
        inspection.tokenizer().ifPresent(tokenizer -> addTokens(text, tokenizer));
        if (!facts.specials().isEmpty()) {
            line(
                    text,
                    "special tokens: "
                            + facts.specials().stream()
                                    .map(special -> special.role() + " " + special.id() + " " + special.text())
                                    .collect(Collectors.joining(", ")));
        }
        return text.toString();
    }

    private void line(StringBuilder text, String line) {
        text.append(Text.indented(Text.oneLine(line), INDENT, columns));
    }

    private void addTokens(StringBuilder text, Tokenizer tokenizer) {
        if (!tokenizer.hasText()) {
            line(text, "none: the model runs from token ids and not from text");
            return;
        }
        String start = tokenizer.bos().isPresent()
                ? "begin-of-sequence " + token(tokenizer, tokenizer.bos().getAsInt())
                        + (tokenizer.addsBos() ? ", put before a prompt" : ", not put before a prompt")
                : "no begin-of-sequence token";
        String ends = tokenizer.endOfGeneration().isEmpty()
                ? "no token ends an answer"
                : "an answer ends with "
                        + tokenizer.endOfGeneration().stream()
                                .map(id -> token(tokenizer, id))
                                .collect(Collectors.joining(", "));
        line(text, Text.plural(tokenizer.vocabularySize(), "token"));
        line(text, start);
        line(text, ends);
        tokenizer.notes().forEach(note -> line(text, note));
    }

    private static String token(Tokenizer tokenizer, int id) {
        return id + " " + tokenizer.piece(id);
    }

    private String weights() {
        Table table = new Table(1, 2, 3).row("type", "tensors", "parameters", "size");
        for (Inspection.TypeTotal total : inspection.types()) {
            table.row(
                    total.type(),
                    Integer.toString(total.tensors()),
                    Text.count(total.parameters()),
                    Text.bytes(total.bytes()));
        }
        int tensors = inspection.types().stream()
                .mapToInt(Inspection.TypeTotal::tensors)
                .sum();
        table.row(
                "all",
                Integer.toString(tensors),
                Text.count(inspection.parameters()),
                Text.bytes(inspection.tensorBytes()));
        return table.render(INDENT, columns);
    }

    private String memoryLines(Inspection.Memory memory) {
        return new Table(1, 2)
                .row("", "f16", "f32")
                .row("weights", Text.bytes(memory.weightBytes()), Text.bytes(memory.weightBytes()))
                .row("keys and values", Text.bytes(memory.kvF16Bytes()), Text.bytes(memory.kvF32Bytes()))
                .row(
                        "together",
                        Text.bytes(memory.weightBytes() + memory.kvF16Bytes()),
                        Text.bytes(memory.weightBytes() + memory.kvF32Bytes()))
                .render(INDENT, columns);
    }

    /** The list of tensors. */
    String tensors() {
        Table table = new Table(3);
        for (TensorInfo tensor : file.tensors()) {
            table.row(
                    Text.oneLine(tensor.name()),
                    tensor.type().name(),
                    shape(tensor.shape()),
                    Text.bytes(tensor.bytes()));
        }
        for (GgufFile.OtherTensor tensor : file.otherTensors()) {
            table.row(Text.oneLine(tensor.name()), tensor.type(), shape(tensor.shape()), Text.bytes(tensor.bytes()));
        }
        return "\ntensors, shapes as rows x columns\n" + table.render(INDENT, columns);
    }

    private static String shape(List<Long> shape) {
        return shape.stream().map(String::valueOf).collect(Collectors.joining(" x "));
    }

    /** Whether the model can run, and if not, why; then what of the file has no effect. */
    String verdict() {
        StringBuilder text = new StringBuilder();
        if (inspection.problems().isEmpty()) {
            text.append("\ntandem can run this model\n");
        } else {
            addProblems(text);
        }
        inspection.understood().ifPresent(known -> {
            addUnused(text, "metadata key", known.unusedKeys());
            addUnused(text, "tensor", known.unusedTensors());
        });
        return text.toString();
    }

    private void addUnused(StringBuilder text, String what, List<String> names) {
        if (names.isEmpty()) {
            return;
        }
        text.append(
                Text.indented("warning: " + Text.plural(names.size(), what) + " present but not used:", 0, columns));
        for (String name : names.subList(0, Math.min(UNUSED_SHOWN, names.size()))) {
            line(text, name);
        }
        if (names.size() > UNUSED_SHOWN) {
            line(text, "and " + (names.size() - UNUSED_SHOWN) + " more; --json lists all");
        }
    }

    private void addProblems(StringBuilder text) {
        text.append("\nnot supported: tandem cannot run this model\n");
        for (ModelFileException problem : inspection.problems()) {
            line(text, String.valueOf(problem.getMessage()));
            text.append(Text.indented(Text.oneLine(problem.remedy()), 2 * INDENT, columns));
        }
    }
}
