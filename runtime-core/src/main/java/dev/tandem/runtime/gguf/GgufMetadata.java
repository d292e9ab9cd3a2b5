package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The keys of one file and where their values lie; a value is decoded whenever it is asked for.
 *
 * <p>So a vocabulary costs nothing until somebody wants it. What was handed out stays valid after the file closes; asking
 * for a value then throws {@link IllegalStateException}. Text that is not UTF-8 is decoded with U+FFFD in place of the
 * bytes that cannot be read.
 */
final class GgufMetadata implements Metadata {
    /** Longest text, in bytes. */
    static final long MAX_TEXT_BYTES = 1L << 26;

    private final MemorySegment segment;
    private final String file;
    private final SequencedMap<String, Entry> entries;

    /** Type of a value and its offset; for an array the type and number of its elements and the offset of the first. */
    record Entry(ValueType type, boolean array, int count, long offset) {
        String label() {
            return array ? type.label() + "[" + count + "]" : type.label();
        }
    }

    GgufMetadata(MemorySegment segment, String file, SequencedMap<String, Entry> entries) {
        this.segment = segment;
        this.file = file;
        this.entries = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(entries));
    }

    @Override
    public Collection<String> keys() {
        return entries.keySet();
    }

    @Override
    public Optional<String> typeOf(String key) {
        return Optional.ofNullable(entries.get(key)).map(Entry::label);
    }

    @Override
    public Optional<String> text(String key) {
        return scalar(
                key,
                "string",
                type -> type == ValueType.STRING,
                entry -> cursor(key, entry).text("length", MAX_TEXT_BYTES));
    }

    @Override
    public Optional<Long> integer(String key) {
        return scalar(key, "integer", ValueType::isInteger, entry -> integerAt(key, entry.type(), entry.offset()));
    }

    @Override
    public Optional<Double> real(String key) {
        return scalar(key, "real number", GgufMetadata::isNumber, entry -> realAt(key, entry.type(), entry.offset()));
    }

    @Override
    public Optional<Boolean> flag(String key) {
        return scalar(
                key,
                "bool",
                type -> type == ValueType.BOOL,
                entry -> integerAt(key, entry.type(), entry.offset()) != 0);
    }

    @Override
    public Optional<List<Long>> integers(String key) {
        return array(key, "array of integers", type -> type.isInteger() || type == ValueType.BOOL, entry -> {
            long[] values = new long[entry.count()];
            Arrays.setAll(values, i -> integerAt(key, entry.type(), elementOffset(entry, i)));
            return new PrimitiveLists.Longs(values);
        });
    }

    @Override
    public Optional<List<Double>> reals(String key) {
        return array(key, "array of real numbers", GgufMetadata::isNumber, entry -> {
            double[] values = new double[entry.count()];
            Arrays.setAll(values, i -> realAt(key, entry.type(), elementOffset(entry, i)));
            return new PrimitiveLists.Doubles(values);
        });
    }

    @Override
    public Optional<List<String>> texts(String key) {
        return array(key, "array of strings", type -> type == ValueType.STRING, entry -> {
            // Lengths were checked at opening; the cursor checks again because the file may have changed since.
            GgufCursor cursor = cursor(key, entry);
            List<String> values = new ArrayList<>(entry.count());
            for (int i = 0; i < entry.count(); i++) {
                values.add(cursor.text("element length", MAX_TEXT_BYTES));
            }
            return Collections.unmodifiableList(values);
        });
    }

    private <T> Optional<T> scalar(String key, String wanted, Predicate<ValueType> accepts, Function<Entry, T> read) {
        return value(key, wanted, entry -> !entry.array() && accepts.test(entry.type()), read);
    }

    private <T> Optional<T> array(String key, String wanted, Predicate<ValueType> accepts, Function<Entry, T> read) {
        return value(key, wanted, entry -> entry.array() && accepts.test(entry.type()), read);
    }

    private <T> Optional<T> value(String key, String wanted, Predicate<Entry> accepts, Function<Entry, T> read) {
        Entry entry = entries.get(key);
        if (entry == null) {
            return Optional.empty();
        }
        if (!accepts.test(entry)) {
            throw corrupt(key, "type is " + entry.label() + " where " + wanted + " is needed");
        }
        return Optional.of(MappedReads.checked(file, () -> read.apply(entry)));
    }

    private GgufCursor cursor(String key, Entry entry) {
        GgufCursor cursor = new GgufCursor(segment, file, entry.offset());
        cursor.enter("metadata key", key);
        return cursor;
    }

    private static long elementOffset(Entry entry, int i) {
        return entry.offset() + (long) i * entry.type().minBytes();
    }

    private static boolean isNumber(ValueType type) {
        return type.isReal() || type.isInteger();
    }

    private double realAt(String key, ValueType type, long offset) {
        return switch (type) {
            case F32 -> Float.intBitsToFloat(segment.get(GgufCursor.INT32, offset));
            case F64 -> Double.longBitsToDouble(segment.get(GgufCursor.INT64, offset));
            default -> integerAt(key, type, offset);
        };
    }

    private long integerAt(String key, ValueType type, long offset) {
        return switch (type) {
            case U8 -> segment.get(ValueLayout.JAVA_BYTE, offset) & 0xFFL;
            case I8 -> segment.get(ValueLayout.JAVA_BYTE, offset);
            case BOOL -> segment.get(ValueLayout.JAVA_BYTE, offset) == 0 ? 0 : 1;
            case U16 -> segment.get(GgufCursor.INT16, offset) & 0xFFFFL;
            case I16 -> segment.get(GgufCursor.INT16, offset);
            case U32 -> segment.get(GgufCursor.INT32, offset) & 0xFFFF_FFFFL;
            case I32 -> segment.get(GgufCursor.INT32, offset);
            case I64 -> segment.get(GgufCursor.INT64, offset);
            case U64 -> unsigned(key, segment.get(GgufCursor.INT64, offset));
            case F32, F64, STRING, ARRAY -> throw new IllegalArgumentException(type.label() + " is no integer");
        };
    }

    private long unsigned(String key, long value) {
        if (value < 0) {
            throw corrupt(key, "value " + Long.toUnsignedString(value) + " is above " + Long.MAX_VALUE);
        }
        return value;
    }

    private ModelFileException corrupt(String key, String detail) {
        return new ModelFileException(
                ErrorCode.FILE_CORRUPT, file + ": metadata key " + GgufCursor.quote(key) + ": " + detail);
    }
}
