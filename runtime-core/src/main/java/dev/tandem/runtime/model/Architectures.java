package dev.tandem.runtime.model;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.stream.Collectors;

/** The supported architectures. */
public final class Architectures {
    private static final List<Architecture> ALL = List.of(
            new DeepSeek2(),
            new Gemma2(),
            new Gemma3(),
            new Glm4(),
            new Glm4Moe(),
            new GptOss(),
            new Lfm2(),
            new Llama(),
            new Mistral3(),
            new Phi3(),
            new Qwen2(),
            new Qwen3(),
            new Qwen3Moe(),
            new SmolLm3());

    private Architectures() {}

    /**
     * Reads a file by the architecture that it names.
     *
     * @param file an open file
     * @return the model
     * @throws ModelFileException where the architecture is not supported or the file is inconsistent
     */
    public static LanguageModel read(ModelView file) {
        for (Architecture architecture : ALL) {
            if (architecture.id().equals(file.architecture())) {
                return architecture.read(file);
            }
        }
        String what = file.architecture().isEmpty()
                ? "metadata key general.architecture is missing"
                : "architecture '" + file.architecture() + "' is not supported";
        throw new ModelFileException(
                ErrorCode.MODEL_UNSUPPORTED,
                file.id().file() + ": " + what,
                "Supported are " + String.join(", ", ids())
                        + "; 'tandem inspect' shows what the file holds. A drafter goes with its model: --draft-model.");
    }

    /**
     * Names as {@code general.architecture} spells them.
     *
     * @return sorted
     */
    public static List<String> ids() {
        return ALL.stream().map(Architecture::id).sorted().collect(Collectors.toUnmodifiableList());
    }
}
