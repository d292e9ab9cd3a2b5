package dev.tandem.runtime.gguf;

import dev.tandem.spi.model.DType;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Translates between tensor type ids of GGUF files, which are those of {@code ggml_type} in ggml.h, and {@link DType}. */
public final class GgufTensorTypes {
    private static final Map<DType, Integer> IDS = ids();
    private static final Map<Integer, DType> TYPES = inverse(IDS);

    /** Types that hold activations while ggml computes: a file may hold them too, but no model does. */
    private static final Map<Integer, Layout> ACTIVATIONS =
            Map.of(9, new Layout("Q8_1", 32, 36, Optional.empty()), 15, new Layout("Q8_K", 256, 292, Optional.empty()));

    /** Ids that ggml once gave away and took back: the size of their blocks is not known any more. */
    private static final Map<Integer, String> GONE = Map.ofEntries(
            Map.entry(4, "Q4_2, removed from the format"),
            Map.entry(5, "Q4_3, removed from the format"),
            Map.entry(31, "Q4_0_4_4, removed from the format"),
            Map.entry(32, "Q4_0_4_8, removed from the format"),
            Map.entry(33, "Q4_0_8_8, removed from the format"),
            Map.entry(36, "IQ4_NL_4_4, removed from the format"),
            Map.entry(37, "IQ4_NL_4_8, removed from the format"),
            Map.entry(38, "IQ4_NL_8_8, removed from the format"));

    /**
     * How elements lie in a tensor.
     *
     * @param name as in ggml
     * @param blockElements elements of one block, 1 for plain types
     * @param blockBytes bytes of one block
     * @param type empty where no weight is ever of this type
     */
    record Layout(String name, int blockElements, int blockBytes, Optional<DType> type) {}

    private GgufTensorTypes() {}

    /**
     * The type of an id.
     *
     * @param id as in the file
     * @return empty for an id that no supported type has
     */
    public static Optional<DType> type(int id) {
        return Optional.ofNullable(TYPES.get(id));
    }

    /**
     * The id of a type.
     *
     * @param type any type that a GGUF file can hold
     * @return as in the file
     * @throws IllegalArgumentException where GGUF has no id for the type
     */
    public static int id(DType type) {
        Integer id = IDS.get(type);
        if (id == null) {
            throw new IllegalArgumentException("GGUF has no tensor type id for " + type);
        }
        return id;
    }

    /** The layout of an id; empty for one that is unknown or was removed. */
    static Optional<Layout> layout(int id) {
        return type(id).map(type -> new Layout(type.name(), type.blockElements(), type.blockBytes(), Optional.of(type)))
                .or(() -> Optional.ofNullable(ACTIVATIONS.get(id)));
    }

    /** What is known of an id without a layout, for messages. */
    static String describeUnsupported(int id) {
        return Integer.toUnsignedString(id) + " (" + GONE.getOrDefault(id, "unknown") + ")";
    }

    private static Map<DType, Integer> ids() {
        Map<DType, Integer> ids = new EnumMap<>(DType.class);
        ids.put(DType.F32, 0);
        ids.put(DType.F16, 1);
        ids.put(DType.Q4_0, 2);
        ids.put(DType.Q4_1, 3);
        ids.put(DType.Q5_0, 6);
        ids.put(DType.Q5_1, 7);
        ids.put(DType.Q8_0, 8);
        ids.put(DType.Q2_K, 10);
        ids.put(DType.Q3_K, 11);
        ids.put(DType.Q4_K, 12);
        ids.put(DType.Q5_K, 13);
        ids.put(DType.Q6_K, 14);
        ids.put(DType.IQ2_XXS, 16);
        ids.put(DType.IQ2_XS, 17);
        ids.put(DType.IQ3_XXS, 18);
        ids.put(DType.IQ1_S, 19);
        ids.put(DType.IQ4_NL, 20);
        ids.put(DType.IQ3_S, 21);
        ids.put(DType.IQ2_S, 22);
        ids.put(DType.IQ4_XS, 23);
        ids.put(DType.I8, 24);
        ids.put(DType.I16, 25);
        ids.put(DType.I32, 26);
        ids.put(DType.I64, 27);
        ids.put(DType.F64, 28);
        ids.put(DType.IQ1_M, 29);
        ids.put(DType.BF16, 30);
        ids.put(DType.TQ1_0, 34);
        ids.put(DType.TQ2_0, 35);
        ids.put(DType.MXFP4, 39);
        ids.put(DType.NVFP4, 40);
        ids.put(DType.Q1_0, 41);
        ids.put(DType.Q2_0, 42);
        return ids;
    }

    private static Map<Integer, DType> inverse(Map<DType, Integer> ids) {
        Map<Integer, DType> types = new HashMap<>();
        ids.forEach((type, id) -> types.put(id, type));
        return Map.copyOf(types);
    }
}
