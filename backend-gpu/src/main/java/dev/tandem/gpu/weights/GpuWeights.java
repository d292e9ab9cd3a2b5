package dev.tandem.gpu.weights;

import dev.tandem.gpu.device.Device;
import dev.tandem.gpu.device.DeviceBuffer;
import dev.tandem.gpu.device.Transfers;
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
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** Weights of one model: matrices packed on the device, vectors as f32 there, embedding tables in the file. */
public final class GpuWeights implements WeightSet {
    private static final int PIECE_BYTES = 4 << 20;

    private final ModelView model;
    private final Precision precision;
    private final Device device;
    private final Transfers transfers;
    private final Map<MatrixKey, GpuMatrix> matrices = new HashMap<>();
    private final Map<WeightRef, DeviceBuffer> vectors = new HashMap<>();
    private final Map<WeightRef, FileRows> tables = new HashMap<>();

    /** One tensor may be multiplied both ways. */
    private record MatrixKey(WeightRef weight, boolean integer) {}

    /**
     * Packs and uploads.
     *
     * @param request what to load
     * @param device current in this thread
     * @param transfers of the device
     * @throws dev.tandem.spi.DeviceException where there is no room
     * @throws ModelFileException where the file changed meanwhile
     */
    public GpuWeights(WeightRequest request, Device device, Transfers transfers) {
        this.model = request.model();
        this.precision = request.precision();
        this.device = device;
        this.transfers = transfers;
        try {
            long done = 0;
            Set<WeightRef> read = new HashSet<>();
            for (Graph graph : request.graphs()) {
                for (Node node : graph.nodes()) {
                    prepare(node.op());
                    for (WeightRef weight : node.op().weights()) {
                        if (weight.model().equals(model.id()) && read.add(weight)) {
                            done += weight.rowCount() * weight.type().rowBytes(weight.columns());
                        }
                    }
                    request.bytesDone().accept(done);
                }
            }
        } catch (InternalError e) {
            close();
            throw fileChanged(e);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * What a read of a mapping that somebody cut short means.
     *
     * @param cause of the JVM
     * @return the failure to throw
     */
    public ModelFileException fileChanged(InternalError cause) {
        return new ModelFileException(
                ErrorCode.FILE_CHANGED,
                model.id().file() + ": the file shrank or became unreadable while in use",
                null,
                cause);
    }

    private void prepare(Op op) {
        switch (op) {
            case Op.Embed embed -> {
                if (mine(embed.table())) {
                    tables.computeIfAbsent(embed.table(), weight -> new FileRows(weight, model));
                }
            }
            case Op.MatMul matMul -> {
                addMatrix(matMul.weight(), integer(matMul), 1);
                addVectors(op, 1);
            }
            case Op.MoeMatMul moe -> {
                addMatrix(
                        moe.experts(),
                        integer(moe),
                        Math.toIntExact(moe.experts().shape().getFirst()));
                addVectors(op, 1);
            }
            default -> addVectors(op, 0);
        }
    }

    private boolean mine(WeightRef weight) {
        return weight.model().equals(model.id());
    }

    private boolean integer(Op.MatMul matMul) {
        return matMul.arithmetic() == Op.Arithmetic.BY_PRECISION
                && precision == Precision.FAST
                && MatrixForm.integer(matMul.weight());
    }

    private boolean integer(Op.MoeMatMul moe) {
        return precision == Precision.FAST && MatrixForm.integer(moe.experts());
    }

    private void addVectors(Op op, int skipped) {
        for (WeightRef weight : op.weights().subList(skipped, op.weights().size())) {
            if (mine(weight) && !vectors.containsKey(weight)) {
                FileRows rows = new FileRows(weight, model);
                float[] values = new float[Math.multiplyExact(rows.rows(), rows.columns())];
                for (int row = 0; row < rows.rows(); row++) {
                    rows.dequantize(row, values, row * rows.columns());
                }
                DeviceBuffer buffer = device.allocate(4L * values.length, describe(weight));
                vectors.put(weight, buffer);
                transfers.upload(buffer.address(), MemorySegment.ofArray(values));
            }
        }
    }

    private String describe(WeightRef weight) {
        return "weight " + weight.tensor() + " of " + model.id().file();
    }

    private void addMatrix(WeightRef weight, boolean integer, int parts) {
        MatrixKey key = new MatrixKey(weight, integer);
        if (!mine(weight) || matrices.containsKey(key)) {
            return;
        }
        MatrixForm form = MatrixForm.of(weight.type(), integer);
        FileRows rows = new FileRows(weight, model);
        Packer packer = Packer.of(rows, form);
        int out = rows.rows() / parts;
        int tiles = (out + packer.tileRows() - 1) / packer.tileRows();
        long partBytes = (long) tiles * packer.tileBytes();
        DeviceBuffer memory = device.allocate(parts * partBytes, describe(weight));
        matrices.put(key, new GpuMatrix(memory, form, out, rows.columns()));
        for (int part = 0; part < parts; part++) {
            uploadPart(packer, part * out, out, memory.address() + part * partBytes);
        }
    }

    /** Packs tiles by all cores, some megabytes at a time. */
    private void uploadPart(Packer packer, int firstRow, int count, long target) {
        int tileBytes = packer.tileBytes();
        int tileRows = packer.tileRows();
        int tiles = (count + tileRows - 1) / tileRows;
        int perPiece = Math.max(1, PIECE_BYTES / Math.max(1, tileBytes));
        for (int first = 0; first < tiles; first += perPiece) {
            int start = first;
            int here = Math.min(perPiece, tiles - first);
            byte[] packed = new byte[Math.multiplyExact(here, tileBytes)];
            IntStream.range(0, here).parallel().forEach(tile -> {
                int row = (start + tile) * tileRows;
                packer.pack(firstRow + row, Math.min(tileRows, count - row), packed, tile * tileBytes);
            });
            transfers.upload(target + (long) first * tileBytes, MemorySegment.ofArray(packed));
        }
    }

    /** The matrix of an op. */
    public GpuMatrix matrix(Op.MatMul matMul) {
        return found(matrices, new MatrixKey(matMul.weight(), integer(matMul)));
    }

    /** The matrices of an op. */
    public GpuMatrix matrices(Op.MoeMatMul moe) {
        return found(matrices, new MatrixKey(moe.experts(), integer(moe)));
    }

    /** Address of a vector's f32 elements. */
    public long vector(WeightRef weight) {
        return found(vectors, weight).address();
    }

    /** Rows of an embedding table. */
    public FileRows table(WeightRef weight) {
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
        return matrices.values().stream().mapToLong(m -> m.memory().bytes()).sum()
                + vectors.values().stream().mapToLong(DeviceBuffer::bytes).sum();
    }

    /** Frees the device's memory. */
    @Override
    public void close() {
        List.copyOf(matrices.values()).forEach(matrix -> matrix.memory().close());
        List.copyOf(vectors.values()).forEach(DeviceBuffer::close);
        matrices.clear();
        vectors.clear();
        tables.clear();
    }
}
