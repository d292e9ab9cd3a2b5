package dev.tandem.spi.backend;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.ModelView;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Weights of one model for one device.
 *
 * <p>The graphs tell what each weight is used for, so a backend may repack: a matrix one way, an embedding table another.
 * The view stays open while the returned set is.
 *
 * @param model the file; weights of other models in the graphs are not meant
 * @param graphs this backend's graphs that will be compiled with the set
 * @param precision of those graphs
 * @param bytesDone called now and then with the bytes of the file read so far, for a progress bar
 */
public record WeightRequest(ModelView model, List<Graph> graphs, Precision precision, LongConsumer bytesDone) {
    /** Copies the list. */
    public WeightRequest {
        graphs = List.copyOf(graphs);
    }
}
