package dev.tandem.drafts.dflash;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.EngineOptions;
import dev.tandem.runtime.Model;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.runtime.plugin.PluginOrigin;
import dev.tandem.runtime.plugin.PluginSource;
import dev.tandem.runtime.speculative.DraftOptions;
import dev.tandem.runtime.speculative.DraftSelector;
import dev.tandem.runtime.speculative.LoadedDraft;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.model.ModelView;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The trained pair of model and drafter. */
final class Sprig implements AutoCloseable {
    /** Long enough that no machine misses it. */
    static final Duration LONG = Duration.ofMinutes(10);

    private final Engine engine = Engine.open(EngineOptions.defaults());
    final Model model;
    final GgufFile drafter;

    Sprig(ModelOptions options) {
        this.drafter = GgufFile.open(shared("models/sprig-java-31m-dflash-q8_0.gguf"));
        this.model = engine.load(shared("models/sprig-java-31m-q8_0.gguf"), options);
    }

    /** A file beside the repository; without it the test is skipped, or fails where the data is required. */
    static Path shared(String name) {
        Path file = Path.of(System.getProperty("tandem.testdata", "testdata")).resolve(name);
        String message = "golden data " + file + " is absent";
        if (Boolean.getBoolean("tandem.testdata.required")) {
            assertTrue(Files.exists(file), message);
        }
        assumeTrue(Files.exists(file), message);
        return file;
    }

    /** Prompts with what an independent engine made of them. */
    static JsonNode prompts() {
        return JsonMapper.shared()
                .readTree(shared("models/sprig-java-31m-q8_0.golden.json").toFile())
                .get("prompts");
    }

    static int[] ints(JsonNode array) {
        int[] values = new int[array.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = array.get(i).asInt();
        }
        return values;
    }

    static DraftOptions chains(int depth) {
        return new DraftOptions(depth, depth, Shape.CHAIN, false, LONG);
    }

    static DraftOptions trees(int nodes) {
        return new DraftOptions(15, nodes, Shape.TREE, false, LONG);
    }

    DraftQuery query(ModelView... files) {
        return model.draftQuery(List.of(files));
    }

    GenerationResult plain(GenerationRequest request) {
        try (Session session = model.newSession()) {
            return session.generate(request, GenerationListener.NONE);
        }
    }

    LoadedDraft open(DraftProvider provider, ModelView file) {
        PluginOrigin origin = new PluginOrigin(
                PluginSource.APPLICATION, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        TreeMap<String, LoadedProvider<DraftProvider>> installed = new TreeMap<>();
        installed.put(provider.id(), new LoadedProvider<>(provider.id(), provider, origin));
        DraftSelector selector = new DraftSelector(installed, LONG);
        return model.openDraft(selector.select(provider.id(), query(file)));
    }

    GenerationResult drafted(DraftProvider provider, ModelView file, DraftOptions options, GenerationRequest request) {
        try (LoadedDraft draft = open(provider, file);
                Session session = model.newSession(draft, options)) {
            return session.generate(request, GenerationListener.NONE);
        }
    }

    @Override
    public void close() {
        model.close();
        engine.close();
        drafter.close();
    }
}
