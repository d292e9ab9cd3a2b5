package dev.tandem.testkit.oracle;

import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.Dequantizer;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

/** The weights of one model, all rows as f32. */
final class OracleWeights implements WeightSet {
    private final ModelId model;
    private final Map<WeightRef, Table> tables = new HashMap<>();
    private boolean closed;

    OracleWeights(WeightRequest request) {
        this.model = request.model().id();
        long done = 0;
        for (Graph graph : request.graphs()) {
            for (WeightRef weight : graph.weights()) {
                if (weight.model().equals(model) && !tables.containsKey(weight)) {
                    Table table = read(request.model(), weight);
                    tables.put(weight, table);
                    done += weight.rowCount() * weight.type().rowBytes(weight.columns());
                    request.bytesDone().accept(done);
                }
            }
        }
    }

    private static Table read(ModelView model, WeightRef weight) {
        TensorInfo tensor = model.tensor(weight.tensor())
                .orElseThrow(
                        () -> new IllegalArgumentException(model.id().file() + " has no tensor " + weight.tensor()));
        MemorySegment data = model.data(tensor);
        int columns = weight.columns();
        long rowBytes = weight.type().rowBytes(columns);
        Table table = Table.floats(Math.toIntExact(weight.rowCount()), columns);
        for (int row = 0; row < table.rows(); row++) {
            int index = row;
            long fileRow = weight.slice().map(slice -> slice.rowOf(index)).orElse((long) row);
            Dequantizer.dequantize(weight.type(), data, fileRow * rowBytes, columns, table.floats(), row * columns);
        }
        return table;
    }

    /** A weight of this model. */
    Table table(WeightRef weight) {
        if (closed) {
            throw new IllegalStateException("the weights of " + model.file() + " are closed");
        }
        Table table = tables.get(weight);
        if (table == null) {
            throw new IllegalArgumentException(model.file() + ": weight " + weight + " was not loaded");
        }
        return table;
    }

    @Override
    public ModelId model() {
        return model;
    }

    @Override
    public long deviceBytes() {
        return tables.values().stream().mapToLong(t -> 4L * t.floats().length).sum();
    }

    @Override
    public void close() {
        closed = true;
        tables.clear();
    }
}
