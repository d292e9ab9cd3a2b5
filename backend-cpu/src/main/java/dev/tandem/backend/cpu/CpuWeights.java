package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.kernel.Matrix;
import dev.tandem.backend.cpu.kernel.WeightData;
import dev.tandem.backend.cpu.kernel.WorkerPool;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.spi.numeric.IntegerBlocks;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Weights of one model as the kernel set wants them: matrices prepared per use, vectors as f32. */
final class CpuWeights implements WeightSet {
    private final ModelView model;
    private final Precision precision;
    private final Kernels kernels;
    private final WorkerPool pool;
    private final Arena arena = Arena.ofShared();
    private final Map<MatrixKey, List<Matrix>> matrices = new HashMap<>();
    private final Map<WeightRef, float[]> vectors = new HashMap<>();
    private final Map<WeightRef, WeightData> tables = new HashMap<>();
    private boolean closed;

    /** One tensor may be multiplied both ways. */
    private record MatrixKey(WeightRef weight, boolean integer) {}

    CpuWeights(WeightRequest request, Kernels kernels, WorkerPool pool) {
        this.model = request.model();
        this.precision = request.precision();
        this.kernels = kernels;
        this.pool = pool;
        try {
            long done = 0;
            for (Graph graph : request.graphs()) {
                for (Node node : graph.nodes()) {
                    done += prepare(node.op());
                    request.bytesDone().accept(done);
                }
            }
        } catch (InternalError e) {
            close();
            throw fileChanged(model.id(), e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** A read of a mapping that somebody cut short. */
    static ModelFileException fileChanged(ModelId model, InternalError cause) {
        return new ModelFileException(
                ErrorCode.FILE_CHANGED,
                model.file() + ": the file shrank or became unreadable while in use",
                null,
                cause);
    }

    private long prepare(Op op) {
        return switch (op) {
            case Op.Embed embed -> once(tables, embed.table(), this::data);
            case Op.MatMul matMul -> matrix(matMul.weight(), integer(matMul), 1) + vectors(op, 1);
            case Op.MoeMatMul moe -> matrix(moe.experts(), integer(moe.experts()), experts(moe)) + vectors(op, 1);
            default -> vectors(op, 0);
        };
    }

    private long vectors(Op op, int skipped) {
        long bytes = 0;
        for (WeightRef weight : op.weights().subList(skipped, op.weights().size())) {
            bytes += once(vectors, weight, this::vector);
        }
        return bytes;
    }

    private <T> long once(Map<WeightRef, T> known, WeightRef weight, Function<WeightRef, T> read) {
        if (!weight.model().equals(model.id()) || known.containsKey(weight)) {
            return 0;
        }
        known.put(weight, read.apply(weight));
        return fileBytes(weight);
    }

    private long matrix(WeightRef weight, boolean integer, int parts) {
        MatrixKey key = new MatrixKey(weight, integer);
        if (!weight.model().equals(model.id()) || matrices.containsKey(key)) {
            return 0;
        }
        WeightData all = data(weight);
        int rows = all.rows() / parts;
        List<Matrix> made = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            made.add(kernels.matrix(all.rows(part * rows, rows), integer, pool, arena));
        }
        matrices.put(key, made);
        return fileBytes(weight);
    }

    private WeightData data(WeightRef weight) {
        TensorInfo tensor = model.tensor(weight.tensor())
                .orElseThrow(
                        () -> new IllegalArgumentException(model.id().file() + " has no tensor " + weight.tensor()));
        return WeightData.of(weight, model.data(tensor));
    }

    private float[] vector(WeightRef weight) {
        WeightData data = data(weight);
        float[] values = new float[Math.multiplyExact(data.rows(), data.columns())];
        for (int row = 0; row < data.rows(); row++) {
            data.dequantize(row, values, row * data.columns());
        }
        return values;
    }

    private static long fileBytes(WeightRef weight) {
        return weight.rowCount() * weight.type().rowBytes(weight.columns());
    }

    private boolean integer(Op.MatMul matMul) {
        return matMul.arithmetic() == Op.Arithmetic.BY_PRECISION && integer(matMul.weight());
    }

    private boolean integer(WeightRef weight) {
        return precision == Precision.FAST
                && IntegerBlocks.supports(weight.type())
                && weight.columns() % IntegerBlocks.BLOCK == 0;
    }

    private static int experts(Op.MoeMatMul moe) {
        return Math.toIntExact(moe.experts().shape().getFirst());
    }

    Matrix matrix(Op.MatMul matMul) {
        return found(matrices, new MatrixKey(matMul.weight(), integer(matMul))).getFirst();
    }

    List<Matrix> experts(WeightRef weight) {
        return found(matrices, new MatrixKey(weight, integer(weight)));
    }

    float[] vectorOf(WeightRef weight) {
        return found(vectors, weight);
    }

    WeightData table(WeightRef weight) {
        return found(tables, weight);
    }

    private static <K, V> V found(Map<K, V> map, K key) {
        V value = map.get(key);
        if (value == null) {
            throw new IllegalArgumentException("weight was not loaded: " + key);
        }
        return value;
    }

    @Override
    public ModelId model() {
        return model.id();
    }

    @Override
    public long deviceBytes() {
        long bytes = 0;
        for (List<Matrix> parts : matrices.values()) {
            bytes += parts.stream().mapToLong(Matrix::extraBytes).sum();
        }
        return bytes + vectors.values().stream().mapToLong(v -> 4L * v.length).sum();
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            matrices.clear();
            vectors.clear();
            tables.clear();
            arena.close();
        }
    }
}
