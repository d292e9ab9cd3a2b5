package dev.tandem.runtime.gguf;

import java.util.Locale;
import java.util.Optional;

/** The type of a metadata value. The constants stand in the order of their ids in the file, which are dense from 0. */
enum ValueType {
    U8(1),
    I8(1),
    U16(2),
    I16(2),
    U32(4),
    I32(4),
    F32(4),
    /** One byte, of which every value but 0 means true. */
    BOOL(1),
    /** A length of 8 bytes, then UTF-8. */
    STRING(8),
    /** An element type of 4 bytes, a count of 8 bytes, then the elements. */
    ARRAY(12),
    U64(8),
    I64(8),
    F64(8);

    private static final ValueType[] BY_ID = values();

    private final int minBytes;
    private final String label = name().toLowerCase(Locale.ROOT);

    ValueType(int minBytes) {
        this.minBytes = minBytes;
    }

    /** The type of this id; empty for an id that the format does not define. */
    static Optional<ValueType> of(int id) {
        return id >= 0 && id < BY_ID.length ? Optional.of(BY_ID[id]) : Optional.empty();
    }

    /** The fewest bytes that a value of this type takes in the file; for numbers and booleans its exact size. */
    int minBytes() {
        return minBytes;
    }

    /** The name shown to people, such as {@code u32}. */
    String label() {
        return label;
    }

    boolean isInteger() {
        return switch (this) {
            case U8, I8, U16, I16, U32, I32, U64, I64 -> true;
            case F32, F64, BOOL, STRING, ARRAY -> false;
        };
    }

    boolean isReal() {
        return this == F32 || this == F64;
    }
}
