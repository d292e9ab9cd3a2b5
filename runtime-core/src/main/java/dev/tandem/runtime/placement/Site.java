package dev.tandem.runtime.placement;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/**
 * Where one model's graphs run, with its weights there. Further graphs that use the same weights, alone or with those of
 * other files, run at the same place without loading them again.
 *
 * @param file the model
 * @param chosen backend that the user or the engine chose
 * @param reference supports every op; may be the same
 * @param precision of all graphs
 * @param placement of the model's own graph
 * @param weights its weights per backend; owned
 */
public record Site(
        ModelView file,
        Backend chosen,
        Backend reference,
        Precision precision,
        Placement placement,
        Map<Backend, List<WeightSet>> weights)
        implements AutoCloseable {
    /**
     * Places a graph and loads its weights.
     *
     * @param graph of the model
     * @param file the model
     * @param chosen backend to prefer
     * @param reference supports every op
     * @param precision of the arithmetic
     * @param bytesDone hears the bytes read so far
     */
    public static Site load(
            Graph graph,
            ModelView file,
            Backend chosen,
            Backend reference,
            Precision precision,
            LongConsumer bytesDone) {
        Placement placement = Placement.of(graph, chosen, reference, precision);
        Map<Backend, List<Graph>> graphs = new LinkedHashMap<>();
        for (Placement.Part part : placement.parts()) {
            requireSupport(part.backend(), part.graph(), precision, file);
            graphs.computeIfAbsent(part.backend(), b -> new ArrayList<>()).add(part.graph());
        }
        Site site = new Site(file, chosen, reference, precision, placement, new LinkedHashMap<>());
        try {
            graphs.forEach((backend, pieces) -> site.weights.put(
                    backend, List.of(backend.load(new WeightRequest(file, pieces, precision, bytesDone)))));
            return site;
        } catch (RuntimeException | Error e) {
            site.close();
            throw e;
        }
    }

    private static void requireSupport(Backend backend, Graph graph, Precision precision, ModelView file) {
        for (Node node : graph.nodes()) {
            if (backend.supports(node, precision) instanceof Backend.Support.No no) {
                throw new ModelFileException(
                        ErrorCode.MODEL_UNSUPPORTED,
                        file.id().file() + ": " + node.label() + ": " + no.reason() + " on "
                                + backend.device().id());
            }
        }
    }

    /**
     * Compiles another form of the model's own graph over the weights that are here.
     *
     * @param graph with the nodes of the model's own and any outputs
     * @param maxStepRows most rows of a step
     */
    public PlacedGraph compile(Graph graph, int maxStepRows) {
        return new PlacedGraph(Placement.of(graph, chosen, reference, precision), options(maxStepRows), weights);
    }

    private CompileOptions options(int maxStepRows) {
        return new CompileOptions(precision, true, maxStepRows);
    }

    /** The chosen backend where it computes all of a graph, else the reference. */
    public Backend backendFor(Graph graph) {
        boolean all = graph.nodes().stream()
                .allMatch(node -> chosen.supports(node, precision) instanceof Backend.Support.Yes);
        return all ? chosen : reference;
    }

    /**
     * Loads and compiles a graph that may use this model's weights and those of other files.
     *
     * @param graph runs whole on one backend
     * @param backend that backend
     * @param others files whose weights the graph names besides this model's
     * @param maxStepRows most rows of a step
     * @throws IllegalArgumentException where the graph names a weight of a file that is not there
     */
    public Loaded load(Graph graph, Backend backend, List<ModelView> others, int maxStepRows) {
        requireSupport(backend, graph, precision, file);
        List<WeightSet> own = new ArrayList<>();
        List<WeightSet> used = new ArrayList<>();
        try {
            for (ModelId model : models(graph)) {
                Optional<List<WeightSet>> here = covering(graph, backend, model);
                if (here.isPresent()) {
                    used.addAll(here.get());
                } else {
                    ModelView view = view(model, others);
                    own.add(backend.load(new WeightRequest(view, List.of(graph), precision, bytes -> {})));
                }
            }
            used.addAll(own);
            Placement whole = new Placement(List.of(new Placement.Part(backend, graph)), List.of(), Optional.empty());
            return new Loaded(new PlacedGraph(whole, options(maxStepRows), Map.of(backend, used)), own);
        } catch (RuntimeException | Error e) {
            own.forEach(WeightSet::close);
            throw e;
        }
    }

    private static Set<ModelId> models(Graph graph) {
        return graph.weights().stream().map(WeightRef::model).collect(Collectors.toSet());
    }

    /** The model's weights on a backend, where they were loaded for every use that a graph makes of them. */
    private Optional<List<WeightSet>> covering(Graph graph, Backend backend, ModelId model) {
        if (!model.equals(file.id()) || !weights.containsKey(backend)) {
            return Optional.empty();
        }
        Set<Use> loaded = placement.parts().stream()
                .filter(part -> part.backend().equals(backend))
                .flatMap(part -> uses(part.graph(), model).stream())
                .collect(Collectors.toSet());
        return loaded.containsAll(uses(graph, model)) ? Optional.ofNullable(weights.get(backend)) : Optional.empty();
    }

    /** Backends prepare a weight for the kind of op that uses it. */
    private record Use(WeightRef weight, String op) {}

    private static Set<Use> uses(Graph graph, ModelId model) {
        return graph.nodes().stream()
                .flatMap(node -> node.op().weights().stream()
                        .filter(weight -> weight.model().equals(model))
                        .map(weight -> new Use(weight, node.op().name())))
                .collect(Collectors.toSet());
    }

    private ModelView view(ModelId model, List<ModelView> others) {
        if (model.equals(file.id())) {
            return file;
        }
        return others.stream()
                .filter(other -> other.id().equals(model))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("the graph names weights of " + model + ", which was not given"));
    }

    /**
     * A graph with the weights that were loaded for it alone.
     *
     * @param graph compiled
     * @param weights owned
     */
    public record Loaded(PlacedGraph graph, List<WeightSet> weights) implements AutoCloseable {
        @Override
        public void close() {
            graph.close();
            weights.forEach(WeightSet::close);
        }
    }

    /** Frees the model's weights; graphs that use them are dead afterwards. */
    @Override
    public void close() {
        weights.values().forEach(sets -> sets.forEach(WeightSet::close));
    }
}
