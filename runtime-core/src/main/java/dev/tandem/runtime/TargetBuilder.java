package dev.tandem.runtime;

import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Site;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

/**
 * Builds the targets of one model.
 *
 * @param file the model
 * @param language as its architecture understood it
 * @param options how to run it
 * @param contextRows most rows of a sequence
 * @param lane held while backends are called
 */
record TargetBuilder(ModelView file, LanguageModel language, ModelOptions options, int contextRows, Lock lane) {
    int stepRows() {
        return Math.min(options.stepRows(), contextRows);
    }

    Graph forward(List<HiddenTap> taps) {
        return language.forward(new GraphOptions(options.effectiveKvType(), taps, contextRows));
    }

    /** Loads and compiles a graph without taps. */
    LoadedTarget build(Graph graph, Backend chosen, Backend reference) {
        return exclusively(() -> {
            Site site = Site.load(graph, file, chosen, reference, options.precision(), options.bytesLoaded());
            try {
                return new LoadedTarget(target(site.compile(graph, stepRows())), site);
            } catch (RuntimeException | Error e) {
                site.close();
                throw e;
            }
        });
    }

    /** The same target with taps, over the same weights. */
    Target tapped(LoadedTarget base, List<HiddenTap> taps) {
        return exclusively(() -> target(base.site().compile(forward(taps), stepRows())));
    }

    private Target target(PlacedGraph graph) {
        return new Target(graph, language.shape().vocabulary(), contextRows, stepRows(), lane);
    }

    private <T> T exclusively(Supplier<T> work) {
        lane.lock();
        try {
            return work.get();
        } finally {
            lane.unlock();
        }
    }
}
