package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.Metadata;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Values come out as they went in, and a value of another type is refused by name. */
final class GgufMetadataTests {
    private static final long ALL_ONES = -1;

    private final Metadata metadata = file().build().parse().metadata();

    @Test
    void readsIntegersOfEveryWidth() {
        assertAll(
                () -> assertEquals(Optional.of(255L), metadata.integer("U8")),
                () -> assertEquals(Optional.of(-1L), metadata.integer("I8")),
                () -> assertEquals(Optional.of(65_535L), metadata.integer("U16")),
                () -> assertEquals(Optional.of(-1L), metadata.integer("I16")),
                () -> assertEquals(Optional.of(4_294_967_295L), metadata.integer("U32")),
                () -> assertEquals(Optional.of(-1L), metadata.integer("I32")),
                () -> assertEquals(Optional.of(-1L), metadata.integer("I64")),
                () -> assertEquals(Optional.of(Long.MAX_VALUE), metadata.integer("largest")));
    }

    @Test
    void readsTheOtherScalars() {
        assertAll(
                () -> assertEquals(Optional.of(0.1f + 0.0), metadata.real("F32")),
                () -> assertEquals(Optional.of(0.1), metadata.real("F64")),
                () -> assertEquals(Optional.of(255.0), metadata.real("U8")),
                () -> assertEquals(Optional.of(true), metadata.flag("yes")),
                () -> assertEquals(Optional.of(false), metadata.flag("no")),
                () -> assertEquals(Optional.of(true), metadata.flag("odd")),
                () -> assertEquals(Optional.of("h\u00e9llo"), metadata.text("text")),
                () -> assertEquals(Optional.of(""), metadata.text("blank")));
    }

    @Test
    void readsArrays() {
        assertAll(
                () -> assertEquals(Optional.of(List.of(255L, 1L)), metadata.integers("U8s")),
                () -> assertEquals(Optional.of(List.of(-1L, 1L)), metadata.integers("I16s")),
                () -> assertEquals(Optional.of(List.of(1L, 0L)), metadata.integers("flags")),
                () -> assertEquals(Optional.of(List.of(0.5, -2.0)), metadata.reals("F32s")),
                () -> assertEquals(Optional.of(List.of(0.1)), metadata.reals("F64s")),
                () -> assertEquals(Optional.of(List.of(255.0, 1.0)), metadata.reals("U8s")),
                () -> assertEquals(Optional.of(List.of("a", "", "\u4f60")), metadata.texts("texts")),
                () -> assertEquals(Optional.of(List.of()), metadata.integers("none")),
                () -> assertEquals(Optional.of(List.of()), metadata.texts("no texts")));
    }

    @Test
    void handsOutListsThatNobodyCanChange() {
        assertThrows(
                UnsupportedOperationException.class,
                () -> metadata.integers("U8s").orElseThrow().set(0, 1L));
        assertThrows(
                UnsupportedOperationException.class,
                () -> metadata.texts("texts").orElseThrow().add("b"));
        assertThrows(UnsupportedOperationException.class, () -> metadata.keys().clear());
    }

    @Test
    void namesTypesForPeople() {
        assertAll(
                () -> assertEquals(Optional.of("u8"), metadata.typeOf("U8")),
                () -> assertEquals(Optional.of("string[3]"), metadata.typeOf("texts")),
                () -> assertEquals(Optional.of("i32[0]"), metadata.typeOf("none")),
                () -> assertEquals(Optional.empty(), metadata.typeOf("absent")));
    }

    @Test
    void keepsTheOrderOfTheFile() {
        assertEquals(
                List.of("b", "a", "c"),
                List.copyOf(new GgufBytes()
                        .text("b", "")
                        .text("a", "")
                        .text("c", "")
                        .build()
                        .parse()
                        .metadata()
                        .keys()));
    }

    @Test
    void returnsEmptyForAbsentKeys() {
        assertAll(
                () -> assertTrue(metadata.text("absent").isEmpty()),
                () -> assertTrue(metadata.integer("absent").isEmpty()),
                () -> assertTrue(metadata.real("absent").isEmpty()),
                () -> assertTrue(metadata.flag("absent").isEmpty()),
                () -> assertTrue(metadata.integers("absent").isEmpty()),
                () -> assertTrue(metadata.reals("absent").isEmpty()),
                () -> assertTrue(metadata.texts("absent").isEmpty()));
    }

    @Test
    void refusesAnotherTypeAndNamesBoth() {
        refuses("'U8': type is u8 where string is needed", () -> metadata.text("U8"));
        refuses("'text': type is string where integer is needed", () -> metadata.integer("text"));
        refuses("'F32': type is f32 where integer is needed", () -> metadata.integer("F32"));
        refuses("'yes': type is bool where integer is needed", () -> metadata.integer("yes"));
        refuses("'yes': type is bool where real number is needed", () -> metadata.real("yes"));
        refuses("'U8': type is u8 where bool is needed", () -> metadata.flag("U8"));
        refuses("'U8s': type is u8[2] where integer is needed", () -> metadata.integer("U8s"));
        refuses("'U8': type is u8 where array of integers is needed", () -> metadata.integers("U8"));
        refuses("'texts': type is string[3] where array of real numbers is needed", () -> metadata.reals("texts"));
        refuses("'U8s': type is u8[2] where array of strings is needed", () -> metadata.texts("U8s"));
    }

    @Test
    void refusesUnsignedValuesBeyondALong() {
        refuses("'U64': value 18446744073709551615 is above", () -> metadata.integer("U64"));
        refuses("'U64': value 18446744073709551615 is above", () -> metadata.real("U64"));
        refuses("'U64s': value 18446744073709551615 is above", () -> metadata.integers("U64s"));
    }

    @Test
    void replacesBytesThatAreNoUtf8() {
        GgufBytes.Built file = new GgufBytes().texts("tokens", List.of("a?c")).build();
        file.bytes()[file.field("tokens/0/length").offset() + Long.BYTES + 1] = (byte) 0xFF;
        assertEquals(Optional.of(List.of("a\uFFFDc")), file.parse().metadata().texts("tokens"));
    }

    private static GgufBytes file() {
        GgufBytes file = new GgufBytes();
        for (ValueType type : ValueType.values()) {
            if (type.isInteger()) {
                file.integer(type.name(), type, ALL_ONES).integers(type + "s", type, ALL_ONES, 1);
            }
        }
        return file.integer("largest", ValueType.U64, Long.MAX_VALUE)
                .real("F32", ValueType.F32, 0.1)
                .real("F64", ValueType.F64, 0.1)
                .reals("F32s", ValueType.F32, 0.5, -2)
                .reals("F64s", ValueType.F64, 0.1)
                .integer("yes", ValueType.BOOL, 1)
                .integer("no", ValueType.BOOL, 0)
                .integer("odd", ValueType.BOOL, 2)
                .integers("flags", ValueType.BOOL, 1, 0)
                .text("text", "h\u00e9llo")
                .text("blank", "")
                .texts("texts", List.of("a", "", "\u4f60"))
                .texts("no texts", List.of())
                .integers("none", ValueType.I32);
    }

    private static void refuses(String message, Executable work) {
        ModelFileException refusal = assertThrows(ModelFileException.class, work);
        assertEquals(ErrorCode.FILE_CORRUPT, refusal.code());
        String actual = Objects.requireNonNull(refusal.getMessage());
        assertTrue(actual.startsWith("test.gguf: metadata key " + message), actual);
    }
}
