package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.model.TensorInfo;
import java.util.List;
import java.util.OptionalInt;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** An inspection for programs. */
final class InspectJson {
    /** A vocabulary would drown the rest; longer arrays are cut, and say so by their {@code count}. */
    private static final int ARRAY_ELEMENTS = 64;

    private final Inspection inspection;
    private final GgufFile file;

    InspectJson(Inspection inspection) {
        this.inspection = inspection;
        this.file = inspection.file();
    }

    /** The whole report. */
    ObjectNode render(boolean tensors, boolean graph) {
        ObjectNode report = Json.object();
        report.put("file", file.id().file());
        report.put("version", file.version());
        report.put("bytes", file.totalBytes());
        report.put("has_data", file.hasData());
        report.put("architecture", file.architecture());
        report.put("supported", inspection.problems().isEmpty());
        report.set(
                "problems",
                Json.texts(inspection.problems().stream()
                        .map(problem -> String.valueOf(problem.getMessage()))
                        .toList()));
        putParts(report.putArray("parts"));
        putMetadata(report.putObject("metadata"));
        inspection.understood().ifPresent(known -> putModel(report.putObject("model"), known));
        putTokenizer(report.putObject("tokenizer"));
        report.put("parameters", inspection.parameters());
        putTypes(report.putArray("types"));
        inspection
                .memory()
                .ifPresent(memory -> report.putObject("memory")
                        .put("context", memory.contextRows())
                        .put("weights_bytes", memory.weightBytes())
                        .put("kv_f16_bytes", memory.kvF16Bytes())
                        .put("kv_f32_bytes", memory.kvF32Bytes()));
        if (tensors) {
            putTensors(report.putArray("tensors"));
        }
        if (graph) {
            inspection
                    .understood()
                    .ifPresent(known -> report.put("graph", known.graph().toString()));
        }
        return report;
    }

    private void putParts(ArrayNode parts) {
        for (GgufFile.Part part : file.parts()) {
            parts.addObject().put("path", part.path().toString()).put("bytes", part.bytes());
        }
    }

    private void putMetadata(ObjectNode metadata) {
        for (String key : file.metadata().keys()) {
            MetadataValue value = MetadataValue.of(file.metadata(), key, ARRAY_ELEMENTS);
            ObjectNode entry = metadata.putObject(key).put("type", value.type());
            value.problem().ifPresent(problem -> entry.put("problem", problem));
            if (value.array()) {
                entry.put("count", value.count());
                ArrayNode elements = entry.putArray("value");
                value.elements().forEach(elements::addPOJO);
            } else if (!value.elements().isEmpty()) {
                entry.putPOJO("value", value.elements().getFirst());
            }
        }
    }

    private static void putModel(ObjectNode target, Inspection.Understood known) {
        LanguageModel model = known.model();
        target.put("layers", model.shape().layers())
                .put("hidden", model.shape().hidden())
                .put("vocabulary", model.shape().vocabulary())
                .put("context", model.shape().contextLength());
        target.set("notes", Json.texts(model.notes()));
        LayerJson.put(target, known.layers());
        target.set("unused_keys", Json.texts(known.unusedKeys()));
        target.set("unused_tensors", Json.texts(known.unusedTensors()));
    }

    private void putTokenizer(ObjectNode target) {
        TokenizerFacts facts = TokenizerFacts.of(file.metadata());
        facts.model().ifPresent(model -> target.put("model", model));
        facts.preTokenizer().ifPresent(name -> target.put("pre_tokenizer", name));
        ObjectNode specials = target.putObject("specials");
        facts.specials()
                .forEach(special -> specials.putObject(special.role())
                        .put("id", special.id())
                        .put("text", special.text()));
        target.put("control_tokens", facts.controls()).put("added_tokens", facts.added());
        inspection.tokenizer().ifPresent(tokenizer -> putTokenizer(target, tokenizer));
    }

    private static void putTokenizer(ObjectNode target, Tokenizer tokenizer) {
        target.put("tokens", tokenizer.vocabularySize());
        putId(target, "bos", tokenizer.bos());
        putId(target, "eos", tokenizer.eos());
        target.put("adds_bos", tokenizer.addsBos());
        target.put("adds_eos", tokenizer.addsEos());
        target.put("has_text", tokenizer.hasText());
        target.set("notes", Json.texts(tokenizer.notes()));
        target.set(
                "end_of_generation",
                Json.numbers(tokenizer.endOfGeneration().stream()
                        .mapToInt(Integer::intValue)
                        .toArray()));
    }

    private static void putId(ObjectNode target, String name, OptionalInt id) {
        if (id.isPresent()) {
            target.put(name, id.getAsInt());
        }
    }

    private void putTypes(ArrayNode types) {
        for (Inspection.TypeTotal total : inspection.types()) {
            types.addObject()
                    .put("type", total.type())
                    .put("tensors", total.tensors())
                    .put("parameters", total.parameters())
                    .put("bytes", total.bytes());
        }
    }

    private void putTensors(ArrayNode tensors) {
        for (TensorInfo tensor : file.tensors()) {
            putTensor(tensors.addObject(), tensor.name(), tensor.type().name(), tensor.shape(), tensor.bytes());
        }
        for (GgufFile.OtherTensor tensor : file.otherTensors()) {
            putTensor(tensors.addObject(), tensor.name(), tensor.type(), tensor.shape(), tensor.bytes());
        }
    }

    private static void putTensor(ObjectNode entry, String name, String type, List<Long> shape, long bytes) {
        entry.put("name", name).put("type", type);
        ArrayNode axes = entry.putArray("shape");
        shape.forEach(axes::add);
        entry.put("bytes", bytes);
    }
}
