package dev.tandem.runtime.gguf;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;

/** Parses the header of one file: magic, version, counts and metadata; {@link TensorTableParser} reads the tensors. */
final class GgufParser {
    /** Far above any real file; bounds the memory that a hostile header can ask for. */
    static final long MAX_KEYS = 1 << 16;

    static final long MAX_ARRAY_ELEMENTS = 1 << 24;
    static final long MAX_KEY_BYTES = 65_535;

    private static final byte[] MAGIC = "GGUF".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] POINTER = "version https://git-lfs".getBytes(StandardCharsets.US_ASCII);
    private static final String ALIGNMENT_KEY = "general.alignment";
    private static final long DEFAULT_ALIGNMENT_BYTES = 32;
    private static final int LATEST_VERSION = 3;
    private static final int OLDEST_VERSION = 2;

    /** Length, one character, type and a value of one byte. */
    private static final long MIN_ENTRY_BYTES = 14;

    private final MemorySegment segment;
    private final String file;
    private final GgufCursor cursor;

    private GgufParser(MemorySegment segment, String file) {
        this.segment = segment;
        this.file = file;
        cursor = new GgufCursor(segment, file, 0);
    }

    /**
     * Parses and checks a whole file.
     *
     * @param segment all bytes of the file
     * @param file its name, for messages
     * @throws ModelFileException where the file breaks a rule
     */
    static GgufPart parse(MemorySegment segment, String file) {
        return MappedReads.checked(file, () -> new GgufParser(segment, file).parse());
    }

    private GgufPart parse() {
        checkMagic();
        int version = version();
        long nTensors = cursor.count("tensor count", TensorTableParser.MIN_TENSOR_BYTES, TensorTableParser.MAX_TENSORS);
        long nKeys = cursor.count("metadata count", MIN_ENTRY_BYTES, MAX_KEYS);
        SequencedMap<String, GgufMetadata.Entry> entries = entries(nKeys);
        long alignment = alignment(entries);
        TensorTableParser table = new TensorTableParser(cursor, alignment);
        var tensors = table.tensors(nTensors);
        GgufMetadata metadata = new GgufMetadata(segment, file, entries);
        return new GgufPart(version, alignment, metadata, tensors, table.hasData());
    }

    private void checkMagic() {
        if (startsWith(POINTER)) {
            throw new ModelFileException(
                    ErrorCode.FILE_FORMAT,
                    file + ": header: this is a Git LFS pointer, not the file it stands for",
                    "Fetch the file itself: git lfs pull.");
        }
        if (!startsWith(MAGIC)) {
            throw format("magic is " + GgufCursor.quote(start()) + " where 'GGUF' is needed");
        }
        cursor.skip("magic", MAGIC.length);
    }

    private boolean startsWith(byte[] prefix) {
        return segment.byteSize() >= prefix.length
                && segment.asSlice(0, prefix.length).mismatch(MemorySegment.ofArray(prefix)) == -1;
    }

    private String start() {
        byte[] start =
                segment.asSlice(0, Math.min(MAGIC.length, segment.byteSize())).toArray(ValueLayout.JAVA_BYTE);
        return new String(start, StandardCharsets.ISO_8859_1);
    }

    private int version() {
        int version = cursor.int32("version");
        // Only the low half of a version is ever used, so an empty low half means the other byte order.
        if (version != 0 && (version & 0xFFFF) == 0) {
            throw new ModelFileException(
                    ErrorCode.FILE_FORMAT,
                    file + ": header: version has its bytes swapped, so this is a big-endian GGUF file",
                    "Convert the model again as little-endian.");
        }
        if (version < OLDEST_VERSION || version > LATEST_VERSION) {
            throw format("version " + Integer.toUnsignedString(version) + " is not supported");
        }
        return version;
    }

    private ModelFileException format(String detail) {
        return new ModelFileException(ErrorCode.FILE_FORMAT, cursor.message(detail));
    }

    private SequencedMap<String, GgufMetadata.Entry> entries(long nKeys) {
        SequencedMap<String, GgufMetadata.Entry> entries = new LinkedHashMap<>();
        for (long i = 1; i <= nKeys; i++) {
            cursor.enter("metadata key", i);
            String key = cursor.text("name length", MAX_KEY_BYTES);
            if (key.isEmpty()) {
                throw cursor.corrupt("name is empty");
            }
            cursor.enter("metadata key", key);
            if (entries.put(key, entry()) != null) {
                throw cursor.corrupt("the key occurs twice");
            }
        }
        return entries;
    }

    private GgufMetadata.Entry entry() {
        ValueType type = valueType("value type");
        if (type == ValueType.ARRAY) {
            return arrayEntry();
        }
        long offset = cursor.position();
        skipValues(type, 1, "value");
        return new GgufMetadata.Entry(type, false, 1, offset);
    }

    private GgufMetadata.Entry arrayEntry() {
        ValueType type = valueType("element type");
        if (type == ValueType.ARRAY) {
            throw cursor.corrupt("element type is array: arrays of arrays are not supported");
        }
        int count = (int) cursor.count("array length", type.minBytes(), MAX_ARRAY_ELEMENTS);
        long offset = cursor.position();
        skipValues(type, count, "element");
        return new GgufMetadata.Entry(type, true, count, offset);
    }

    private ValueType valueType(String field) {
        int id = cursor.int32(field);
        return ValueType.of(id)
                .orElseThrow(() -> cursor.corrupt(field + " " + Integer.toUnsignedString(id) + " is unknown"));
    }

    private void skipValues(ValueType type, int count, String field) {
        if (type == ValueType.STRING) {
            cursor.skipTexts(field + " length", count, GgufMetadata.MAX_TEXT_BYTES);
        } else {
            cursor.skip(field, (long) count * type.minBytes());
        }
    }

    private long alignment(SequencedMap<String, GgufMetadata.Entry> entries) {
        GgufMetadata.Entry entry = entries.get(ALIGNMENT_KEY);
        if (entry == null) {
            return DEFAULT_ALIGNMENT_BYTES;
        }
        cursor.enter("metadata key", ALIGNMENT_KEY);
        if (entry.array() || entry.type() != ValueType.U32) {
            throw cursor.corrupt("type is " + entry.label() + " where u32 is needed");
        }
        long alignment = Integer.toUnsignedLong(segment.get(GgufCursor.INT32, entry.offset()));
        if (Long.bitCount(alignment) != 1) {
            throw cursor.corrupt("value " + alignment + " is no power of two");
        }
        return alignment;
    }
}
