package dev.tandem.runtime.model;

import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A decoder-only transformer: embedding, layers, final norm, head. What a layer is, the architecture says. */
final class Decoder implements LanguageModel {
    private static final String EMBEDDING = "token_embd.weight";
    private static final String HEAD = "output.weight";

    private final Hyperparameters h;
    private final Tensors tensors;
    private final Layer layer;
    private final Ends ends;
    private final List<String> notes;
    private final ModelShape shape;

    /** One layer: the residual stream in and out. */
    @FunctionalInterface
    interface Layer {
        Value build(Block block, Value x);
    }

    /**
     * What embeddings and logits go through besides their matrices.
     *
     * @param embeddingScale multiplies embeddings
     * @param logitSoftCap bounds logits; 0 for none
     * @param norm tensor of the final norm
     */
    record Ends(float embeddingScale, float logitSoftCap, String norm) {
        /** Nothing but the norm. */
        static final Ends PLAIN = new Ends(1f, 0f);

        Ends(float embeddingScale, float logitSoftCap) {
            this(embeddingScale, logitSoftCap, "output_norm.weight");
        }
    }

    Decoder(ModelView file, Hyperparameters h, Tensors tensors, Layer layer, List<String> notes) {
        this(file, h, tensors, layer, Ends.PLAIN, notes);
    }

    Decoder(ModelView file, Hyperparameters h, Tensors tensors, Layer layer, Ends ends, List<String> notes) {
        this.h = h;
        this.tensors = tensors;
        this.layer = layer;
        this.ends = ends;
        this.notes = List.copyOf(notes);
        this.shape = new ModelShape(h.layers(), h.hidden(), tensors.rows(EMBEDDING, h.hidden()), h.contextLength());
        checkLayerCount(file);
    }

    /** A file with more layers than its metadata say would silently run short. */
    private void checkLayerCount(ModelView file) {
        String next = "blk." + h.blocks() + ".";
        file.tensors().stream()
                .filter(t -> t.name().startsWith(next))
                .findFirst()
                .ifPresent(t -> {
                    throw h.inconsistent("block_count", h.blocks() + ", but the file holds tensor " + t.name());
                });
    }

    @Override
    public ModelShape shape() {
        return shape;
    }

    @Override
    public List<String> notes() {
        Graph graph = forward(new GraphOptions(DType.F16, List.of()));
        List<String> lines = new ArrayList<>(LayerText.lines(LayerFacts.of(graph)));
        if (ends.logitSoftCap() != 0f) {
            lines.add("logits: within " + ends.logitSoftCap());
        }
        lines.addAll(notes);
        return List.copyOf(lines);
    }

    @Override
    public Graph forward(GraphOptions wanted) {
        GraphOptions options = wanted.orContext(shape.contextLength());
        Graph.Builder graph = Graph.builder(tensors.file().architecture() + " forward");
        boolean selectLate = options.taps().stream().anyMatch(this::needsAllRowsAtTheEnd);
        Value x = embed(graph);
        tap(graph, options, new HiddenTap(0, Stage.EMBEDDING), x);
        for (int i = 0; i < shape.layers(); i++) {
            boolean last = i == shape.layers() - 1;
            x = layer.build(new Block(graph, h, tensors, options, i, last && !selectLate), x);
            tap(graph, options, new HiddenTap(i, Stage.LAYER_OUTPUT), x);
        }
        tap(graph, options, new HiddenTap(0, Stage.FINAL_PRE_NORM), x);
        x = finalNorm(graph, x);
        tap(graph, options, new HiddenTap(0, Stage.FINAL_POST_NORM), x);
        if (x.type().rows() == RowSet.STEP) {
            x = graph.add("select", new Op.SelectRows(), x);
        }
        graph.output(LOGITS, logits(graph, x));
        return graph.build();
    }

    private boolean needsAllRowsAtTheEnd(HiddenTap tap) {
        return switch (tap.stage()) {
            case EMBEDDING -> false;
            case LAYER_OUTPUT -> tap.layer() == shape.layers() - 1;
            case FINAL_PRE_NORM, FINAL_POST_NORM -> true;
        };
    }

    private static void tap(Graph.Builder graph, GraphOptions options, HiddenTap here, Value x) {
        for (int i = 0; i < options.taps().size(); i++) {
            HiddenTap wanted = options.taps().get(i);
            boolean layered = here.stage() == Stage.LAYER_OUTPUT;
            if (wanted.stage() == here.stage() && (!layered || wanted.layer() == here.layer())) {
                graph.output(LanguageModel.tap(i), x);
            }
        }
    }

    private Value finalNorm(Graph.Builder graph, Value x) {
        WeightRef gain = tensors.required(ends.norm(), shape.hidden());
        return graph.add("output_norm", new Op.RmsNorm(Optional.of(gain), shape.hidden(), h.rmsEpsilon()), x);
    }

    @Override
    public Value embed(Graph.Builder graph) {
        WeightRef table = tensors.required(EMBEDDING, shape.vocabulary(), shape.hidden());
        Value x = graph.add("token_embd", new Op.Embed(table));
        return ends.embeddingScale() == 1f ? x : graph.add("embd_scale", new Op.Scale(ends.embeddingScale()), x);
    }

    @Override
    public Value logits(Graph.Builder graph, Value hidden) {
        String head = tensors.has(HEAD) ? HEAD : EMBEDDING;
        WeightRef weight = tensors.required(head, shape.vocabulary(), shape.hidden());
        Optional<WeightRef> bias = tensors.optional("output.bias", shape.vocabulary());
        Value logits = graph.add("output", new Op.MatMul(weight, bias, Op.Arithmetic.BY_PRECISION), hidden);
        return ends.logitSoftCap() == 0f
                ? logits
                : graph.add("output_cap", new Op.SoftCap(ends.logitSoftCap()), logits);
    }
}
