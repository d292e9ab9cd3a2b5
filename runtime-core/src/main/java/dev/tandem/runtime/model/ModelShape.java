package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.StateSpec;

/**
 * Sizes of a model.
 *
 * @param layers number of layers
 * @param hidden columns of a hidden state
 * @param vocabulary number of token ids
 * @param contextLength positions of the training
 */
public record ModelShape(int layers, int hidden, int vocabulary, int contextLength) {
    /**
     * Bytes that a committed position takes in the slots of a graph; recurrent slots take none.
     *
     * @param graph a forward graph
     */
    public static long bytesPerPosition(Graph graph) {
        long bytes = 0;
        for (StateSpec state : graph.states()) {
            if (state instanceof StateSpec.Kv kv) {
                bytes += (long) kv.heads()
                        * (kv.keyDim() + kv.valueDim())
                        * kv.type().blockBytes();
            }
        }
        return bytes;
    }
}
