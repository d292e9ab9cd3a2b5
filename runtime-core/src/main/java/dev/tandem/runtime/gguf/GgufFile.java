package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import dev.tandem.spi.model.ModelId;
import dev.tandem.spi.model.ModelView;
import dev.tandem.spi.model.TensorInfo;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An open GGUF model: one file, or all parts of a split one, mapped into memory.
 *
 * <p>Opening reads headers only. Metadata is that of the first part; tensors are those of all parts, in order. A file
 * that consists of a header alone opens too, for inspection: {@link #hasData} is then false and {@link #data} refuses.
 *
 * <p><em>Threading</em>: safe for use by several threads. <em>Lifetime</em>: {@link #close} ends the mappings; after
 * it, reading metadata values or data throws {@link IllegalStateException}. Work that reads {@link #data} goes through
 * {@link MappedReads}, which explains what a file that shrinks in the meantime does to it.
 */
public final class GgufFile implements ModelView, AutoCloseable {
    private static final String ARCHITECTURE_KEY = "general.architecture";

    /** Gives every open file a number of its own; holds nothing of any model. */
    private static final AtomicLong SERIALS = new AtomicLong();

    private final Arena arena;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ModelId id;
    private final List<GgufParts.Mapped> parts;
    private final SequencedMap<String, Place> places;
    private final List<TensorInfo> tensors;

    /**
     * A file on disk that belongs to the model.
     *
     * @param path as opened
     * @param bytes its size
     */
    public record Part(Path path, long bytes) {}

    /**
     * A tensor that no view can show, because its type is one of ggml's for activations.
     *
     * @param name as in the file
     * @param type name of the type in ggml
     * @param shape slowest dimension first
     * @param bytes size of its data
     */
    public record OtherTensor(String name, String type, List<Long> shape, long bytes) {}

    private record Place(int part, GgufPart.Tensor tensor, Optional<TensorInfo> info) {}

    private GgufFile(Path path, Arena arena, List<GgufParts.Mapped> parts) {
        this.arena = arena;
        this.parts = List.copyOf(parts);
        id = new ModelId(SERIALS.incrementAndGet(), path.toString());
        places = places(parts);
        tensors =
                places.values().stream().flatMap(place -> place.info().stream()).toList();
    }

    /**
     * Opens a model.
     *
     * @param path a GGUF file; of a split model, the first part
     * @return the open model
     * @throws ModelFileException where a file is missing, unreadable, no GGUF file, not supported or breaks a rule; the
     *     message names the file and the field
     */
    @SuppressWarnings("MustBeClosedChecker") // The arena lives as long as the file that is returned.
    public static GgufFile open(Path path) {
        Arena arena = Arena.ofShared();
        boolean opened = false;
        try {
            GgufFile file = new GgufFile(path, arena, GgufParts.map(path, arena));
            // A wrong type of this key is found now and not by the first caller.
            file.architecture();
            opened = true;
            return file;
        } finally {
            if (!opened) {
                arena.close();
            }
        }
    }

    private static SequencedMap<String, Place> places(List<GgufParts.Mapped> parts) {
        SequencedMap<String, Place> places = new LinkedHashMap<>();
        for (int p = 0; p < parts.size(); p++) {
            for (GgufPart.Tensor tensor : parts.get(p).part().tensors()) {
                Place earlier = places.putIfAbsent(tensor.name(), new Place(p, tensor, tensor.info()));
                if (earlier != null) {
                    throw new ModelFileException(
                            ErrorCode.FILE_CORRUPT,
                            parts.get(p).path() + ": tensor " + GgufCursor.quote(tensor.name())
                                    + ": the name occurs in part " + (earlier.part() + 1) + " too");
                }
            }
        }
        return Collections.unmodifiableSequencedMap(places);
    }

    @Override
    public ModelId id() {
        return id;
    }

    @Override
    public String architecture() {
        return metadata().text(ARCHITECTURE_KEY).orElse("");
    }

    @Override
    public Metadata metadata() {
        return parts.getFirst().part().metadata();
    }

    @Override
    public Collection<TensorInfo> tensors() {
        return tensors;
    }

    @Override
    public Optional<TensorInfo> tensor(String name) {
        return Optional.ofNullable(places.get(name)).flatMap(Place::info);
    }

    /**
     * {@inheritDoc}
     *
     * @throws ModelFileException where the file holds a header only
     * @throws IllegalStateException after {@link #close}
     */
    @Override
    public MemorySegment data(TensorInfo tensor) {
        Place place = place(tensor);
        GgufParts.Mapped part = parts.get(place.part());
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException(id.file() + " is closed");
        }
        if (!part.part().hasData() && tensor.bytes() > 0) {
            throw new ModelFileException(
                    ErrorCode.FILE_CORRUPT,
                    part.path() + ": tensor " + GgufCursor.quote(tensor.name())
                            + ": the file ends with its header and holds no data");
        }
        return tensor.bytes() == 0
                ? part.segment().asSlice(0, 0)
                : part.segment().asSlice(place.tensor().offset(), tensor.bytes());
    }

    /**
     * Tensors that are in the file, and checked like all others, but of a type that no weight has.
     *
     * @return in file order; empty for every usual model
     */
    public List<OtherTensor> otherTensors() {
        return places.values().stream()
                .filter(place -> place.info().isEmpty())
                .map(Place::tensor)
                .map(t -> new OtherTensor(t.name(), t.layout().name(), t.shape(), t.bytes()))
                .toList();
    }

    /**
     * The version of the format.
     *
     * @return 2 or 3
     */
    public int version() {
        return parts.getFirst().part().version();
    }

    /**
     * The alignment of tensor data in the first part.
     *
     * @return bytes, a power of two
     */
    public long alignment() {
        return parts.getFirst().part().alignment();
    }

    /**
     * Whether the data of every tensor is there.
     *
     * @return false where a part is a header without the data it describes
     */
    public boolean hasData() {
        return parts.stream().allMatch(mapped -> mapped.part().hasData());
    }

    /**
     * The files of this model.
     *
     * @return in order, at least one
     */
    public List<Part> parts() {
        return parts.stream()
                .map(mapped -> new Part(mapped.path(), mapped.segment().byteSize()))
                .toList();
    }

    /**
     * The size of all files together.
     *
     * @return bytes
     */
    public long totalBytes() {
        return parts.stream().mapToLong(mapped -> mapped.segment().byteSize()).sum();
    }

    /**
     * A digest of every byte of all files. Reads all of them, with all processors; the same files give the same digest
     * anywhere.
     *
     * @return hexadecimal digits
     * @throws ModelFileException where a file shrank in the meantime
     * @throws IllegalStateException after {@link #close}
     */
    public String digest() {
        return MappedReads.checked(
                id.file(),
                () -> ContentDigest.of(
                        parts.stream().map(GgufParts.Mapped::segment).toList()));
    }

    /**
     * The file that holds a tensor.
     *
     * @param tensor one of {@link #tensors}
     * @return index into {@link #parts}
     * @throws IllegalArgumentException where the tensor is not of this file
     */
    public int part(TensorInfo tensor) {
        return place(tensor).part();
    }

    /**
     * Where the data of a tensor begins.
     *
     * @param tensor one of {@link #tensors}
     * @return bytes from the start of its part
     * @throws IllegalArgumentException where the tensor is not of this file
     */
    public long offset(TensorInfo tensor) {
        return place(tensor).tensor().offset();
    }

    private Place place(TensorInfo tensor) {
        Place place = places.get(tensor.name());
        if (place == null || !place.info().equals(Optional.of(tensor))) {
            throw new IllegalArgumentException("tensor " + tensor.name() + " is not of " + id.file());
        }
        return place;
    }

    /** Ends the mappings; a second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            arena.close();
        }
    }
}
