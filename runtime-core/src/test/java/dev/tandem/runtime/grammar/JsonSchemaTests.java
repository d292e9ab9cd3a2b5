package dev.tandem.runtime.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

class JsonSchemaTests {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    static Grammar grammar(String schema) {
        return Grammar.ofJsonSchema(JSON.readValue(schema.replace('\'', '"'), Object.class), "test");
    }

    static Stream<Arguments> schemas() {
        return Stream.of(
                schema(
                        "{}",
                        yes("{\"a\": [1, -2.5e3, true, null, \"x\\n\\u00e9\"]}", "0", "[]"),
                        no("01", "{a:1}", "'")),
                schema("true", yes("null"), no("nul", "")),
                schema("{'type':'boolean'}", yes("true", "false"), no("null")),
                schema("{'type':['null','integer'],'minimum':3}", yes("null", "3", "40"), no("2", "3.5")),
                schema("{'type':'integer'}", yes("0", "-12"), no("-", "00", "1.0")),
                schema(
                        "{'type':'integer','minimum':-5,'maximum':120}",
                        yes("-5", "0", "99", "120"),
                        no("-6", "121", "-0")),
                schema("{'type':'integer','exclusiveMinimum':0.5,'exclusiveMaximum':3}", yes("1", "2"), no("0", "3")),
                schema("{'type':'integer','minimum':1000}", yes("1000", "1234567"), no("999", "-1")),
                schema("{'type':'integer','maximum':-1}", yes("-1", "-77"), no("0", "1")),
                schema("{'type':'number'}", yes("1", "-0.5", "1e-5", "2.50E+10"), no(".5", "1.", "+1")),
                schema("{'minimum':0,'maximum':1}", yes("0", "1", "0.25"), no("1.5", "-0.5", "2")),
                schema(
                        "{'type':'number','exclusiveMinimum':-1,'exclusiveMaximum':0}",
                        yes("-0.5"),
                        no("0", "-1", "0.5", "-1.5")),
                schema(
                        "{'type':'string','minLength':2,'maxLength':3}",
                        yes("\"ab\"", "\"a\\n\\u00fc\""),
                        no("\"a\"", "\"abcd\"", "\"a\nb\"")),
                schema(
                        "{'enum':['a\\n',1,null,{'b':[true]}]}",
                        yes("\"a\\n\"", "1", "null", "{\"b\":[true]}"),
                        no("2", "\"a\"")),
                schema("{'const':'x','title':'ignored'}", yes("\"x\""), no("\"y\"")),
                schema("{'enum':[1,'a'],'type':'string'}", yes("\"a\""), no("1")),
                schema(
                        "{'pattern':'^[a-c]{2}(x|\\\\d+)?$'}",
                        yes("\"ab\"", "\"cax\"", "\"ab42\""), no("\"a\"", "\"abx1\"")),
                schema("{'pattern':'b+'}", yes("\"b\"", "\"abba\""), no("\"a\"", "\"\"")),
                schema(
                        "{'pattern':'^\\\\s\\\\S[^\\\\w]\\\\.$'}",
                        yes("\" a-.\"", "\"\\na \\.\"".replace("\\.", ".")),
                        no("\"aaa.\"")),
                schema("{'pattern':'^[\\\\\\\\\\\\u0022]$'}", yes("\"\\\\\"", "\"\\\"\""), no("\"a\"", "\"\"\"")),
                schema(
                        "{'format':'date'}",
                        yes("\"2024-12-31\"", "\"1999-02-28\""),
                        no("\"2024-02-30\"", "\"2024-13-01\"", "\"2024-04-31\"")),
                schema(
                        "{'format':'time'}",
                        yes("\"23:59:00Z\"", "\"00:00:59.125+01:30\""),
                        no("\"24:00:00Z\"", "\"12:00:00\"")),
                schema("{'format':'date-time'}", yes("\"2024-06-30T12:00:00Z\""), no("\"2024-06-30 12:00:00Z\"")),
                schema("{'format':'uuid'}", yes("\"123e4567-e89b-12d3-a456-426614174000\""), no("\"123e4567\"")),
                schema("{'items':{'type':'integer'}}", yes("[]", "[1]", "[1, 2,3]"), no("[1,]", "[\"a\"]")),
                schema(
                        "{'items':{'type':'integer'},'minItems':2,'maxItems':3}",
                        yes("[1,2]", "[1,2,3]"),
                        no("[1]", "[1,2,3,4]")),
                schema("{'type':'array','maxItems':0}", yes("[]", "[ ]"), no("[1]")),
                schema(
                        "{'prefixItems':[{'const':1},{'const':2}],'items':{'const':3}}",
                        yes("[]", "[1]", "[1,2,3,3]"),
                        no("[2]", "[1,3]")),
                schema(
                        "{'prefixItems':[{'const':1},{'const':2}],'items':false,'minItems':1}",
                        yes("[1]", "[1,2]"),
                        no("[]", "[1,2,3]")),
                schema(
                        "{'properties':{'a':{'type':'integer'},'b':true,'c':{'const':0}},'required':['b']}",
                        yes("{\"b\":[]}", "{\"a\":1,\"b\":2}", "{ \"a\" : 1 , \"b\" : 2 , \"c\" : 0 }"),
                        no("{}", "{\"a\":1}", "{\"b\":1,\"a\":1}", "{\"b\":1,\"d\":1}", "{\"b\":1,}")),
                schema("{'type':'object','properties':{}}", yes("{}", "{\"x\":1}"), no("[]")),
                schema("{'type':'object','additionalProperties':false}", yes("{}", "{ }"), no("{\"x\":1}")),
                schema(
                        "{'type':'object','additionalProperties':{'const':1}}",
                        yes("{}", "{\"x\":1,\"y\":1}"),
                        no("{\"x\":2}")),
                schema(
                        "{'properties':{'ab':{'const':0},'a':{'const':0}},'additionalProperties':{'const':1}}",
                        yes("{\"ab\":0,\"a\":0,\"abc\":1,\"\":1}", "{\"b\":1}", "{\"a\":0}"),
                        no("{\"ab\":1}", "{\"a\":1}", "{\"x\":0}")),
                schema("{'required':['x'],'type':'object'}", yes("{\"x\":[1]}"), no("{}", "{\"y\":1}")),
                schema("{'anyOf':[{'type':'integer'},{'const':'a'}]}", yes("1", "\"a\""), no("\"b\"")),
                schema("{'oneOf':[{'const':1},{'const':'a'}]}", yes("1", "\"a\""), no("2")),
                schema(
                        "{'allOf':[{'$ref':'#/$defs/p'}],'description':'d','$defs':{'p':{'const':5}}}",
                        yes("5"),
                        no("6")),
                schema(
                        "{'allOf':[{'$ref':'#/$defs/p'},{'properties':{'b':{'const':2}},'required':['b']}],'required':['a'],"
                                + "'$defs':{'p':{'type':'object','properties':{'a':{'const':1}}}}}",
                        yes("{\"a\":1,\"b\":2}"),
                        no("{\"a\":1}", "{\"b\":2}")),
                schema(
                        "{'properties':{'v':{'type':'integer'},'next':{'$ref':'#'}},'required':['v']}",
                        yes("{\"v\":1,\"next\":{\"v\":2}}"),
                        no("{\"v\":1,\"next\":2}")),
                schema(
                        "{'$ref':'#/$defs/a~1b','$defs':{'a/b':{'items':{'$ref':'#/$defs/a~1b'}}}}",
                        yes("[[],[[]]]"),
                        no("[1]")),
                // A name that a rule of the first property might have had.
                schema(
                        "{'properties':{'a':{'properties':{'b':{'const':1}}},'a~first0':{'const':2}}}",
                        yes("{\"a\":{\"b\":1},\"a~first0\":2}"),
                        no("{\"a~first0\":1}")));
    }

    private static Arguments schema(String schema, List<String> valid, List<String> invalid) {
        return Arguments.of(schema, valid, invalid);
    }

    private static List<String> yes(String... texts) {
        return List.of(texts);
    }

    private static List<String> no(String... texts) {
        return List.of(texts);
    }

    @ParameterizedTest
    @MethodSource("schemas")
    void textsAreThoseThatTheSchemaAllows(String schema, List<String> valid, List<String> invalid) {
        Grammar grammar = grammar(schema);
        for (String text : valid) {
            assertEquals(Reading.WHOLE, Reading.of(grammar, text.getBytes(StandardCharsets.UTF_8)), text);
        }
        for (String text : invalid) {
            Reading reading = Reading.of(grammar, text.getBytes(StandardCharsets.UTF_8));
            assertTrue(reading != Reading.WHOLE, text);
        }
    }

    static Stream<Arguments> wrongSchemas() {
        return Stream.of(
                wrong("3", "# is no schema: neither an object nor true or false"),
                wrong("false", "# is false, which allows no value"),
                wrong("{'type':'text'}", "#/type names 'text', which is no type of JSON"),
                wrong("{'type':[]}", "#/type names no type"),
                wrong("{'type':7}", "#/type is not an array"),
                wrong("{'not':{}}", "#/not is not supported"),
                wrong(
                        "{'properties':{'a/b':{'type':'integer','multipleOf':2}}}",
                        "#/properties/a~1b/multipleOf is not supported for type integer"),
                wrong("{'type':'string','minItems':1}", "#/minItems is not supported for type string"),
                wrong("{'$ref':'#/$defs/x','type':'string','$defs':{'x':{}}}", "#/type is not supported beside $ref"),
                wrong("{'$ref':'#/$defs/y'}", "#/$ref is '#/$defs/y', where nothing stands"),
                wrong(
                        "{'$ref':'http://example.org/x'}",
                        "#/$ref is 'http://example.org/x'; only '#' and '#/…' are supported"),
                wrong("{'format':'email'}", "#/format is 'email', which is not supported"),
                wrong("{'minLength':2,'maxLength':1}", "# wants at least 2 and at most 1 characters"),
                wrong("{'minLength':-1}", "#/minLength is not a whole number of 0 to 100000"),
                wrong("{'minLength':1e999}", "#/minLength is not a whole number of 0 to 100000"),
                wrong("{'minItems':1.5}", "#/minItems is not a whole number of 0 to 100000"),
                wrong("{'minItems':2,'maxItems':1}", "# wants at least 2 and at most 1 elements"),
                wrong("{'minItems':2,'prefixItems':[true],'items':false}", "# wants at least 2 and at most 1 elements"),
                wrong("{'minLength':1,'pattern':'a'}", "# has more than one of lengths, pattern and format"),
                wrong("{'pattern':'(?=a)'}", "#/pattern is not supported: '(?' with anything but ':' is not supported"),
                wrong("{'pattern':'a*?'}", "#/pattern is not supported: unexpected '?' behind a part"),
                wrong("{'pattern':'^a|b$'}", "#/pattern is not supported: '^' or '$' beside '|'"),
                wrong("{'pattern':'\\\\bx'}", "#/pattern is not supported: '\\b' is not supported"),
                wrong("{'pattern':'[z-a]'}", "#/pattern is not supported: a range of characters runs backwards"),
                wrong("{'pattern':'a{20000}'}", "#/pattern is not supported: a repetition needs numbers up to 10000"),
                wrong("{'pattern':'(a'}", "#/pattern is not supported: ')' is missing"),
                wrong(
                        "{'type':'integer','minimum':3,'maximum':2}",
                        "# has bounds between which no number can be written"),
                wrong("{'minimum':'3'}", "#/minimum is not a number"),
                wrong("{'maximum':1e300}", "# has a bound of more than sixteen digits"),
                wrong("{'maximum':1e-999999999}", "#/maximum is not a number, or one out of all range"),
                wrong("{'enum':[]}", "# allows no value"),
                wrong("{'enum':[1],'type':'string'}", "# allows no value"),
                wrong("{'anyOf':[]}", "#/anyOf is empty"),
                wrong("{'anyOf':[true],'type':'string'}", "#/type is not supported beside anyOf"),
                wrong(
                        "{'allOf':[{'properties':{'a':true}},{'properties':{'a':{'const':1}}}]}",
                        "#/allOf/1/properties/a is given twice by allOf"),
                wrong("{'allOf':[{'type':'string'},{'type':'object'}]}", "#/allOf/0/type is not 'object'"),
                wrong(
                        "{'required':['x'],'type':'object','additionalProperties':false}",
                        "#/properties/x is false, which allows no value"));
    }

    private static Arguments wrong(String schema, String message) {
        return Arguments.of(schema, message);
    }

    @ParameterizedTest
    @MethodSource("wrongSchemas")
    void refusesASchemaByPointer(String schema, String message) {
        UsageException refusal = assertThrows(UsageException.class, () -> grammar(schema));
        assertTrue(String.valueOf(refusal.getMessage()).startsWith("test: " + message), refusal::toString);
        assertEquals(ErrorCode.BAD_ARGUMENT, refusal.code());
    }

    @Test
    void endlessSchemasAreRefused() {
        for (String schema : List.of(
                "{'$ref':'#'}",
                "{'anyOf':[{'$ref':'#'}]}",
                "{'properties':{'a':{'$ref':'#'}},'required':['a']}",
                "{'allOf':[{'$ref':'#'}]}")) {
            assertThrows(UsageException.class, () -> grammar(schema), schema);
        }
    }

    @Test
    void hugeSchemasAreRefused() {
        Object nested = true;
        Map<String, Object> defs = new LinkedHashMap<>();
        for (int i = 0; i < 5000; i++) {
            nested = Map.of("items", nested);
            defs.put("d" + i, Map.of("$ref", "#/$defs/d" + (i + 1)));
        }
        Object deep = nested;
        assertThrows(UsageException.class, () -> Grammar.ofJsonSchema(deep, "test"));
        assertThrows(
                UsageException.class, () -> Grammar.ofJsonSchema(Map.of("$ref", "#/$defs/d0", "$defs", defs), "test"));
        assertThrows(
                UsageException.class,
                () -> grammar("{'items':{'items':{'type':'string','minLength':90000},"
                        + "'minItems':90000},'minItems':90000,'prefixItems':[{'type':'string','maxLength':99999},"
                        + "{'type':'string','maxLength':99999},{'type':'string','maxLength':99999}]}"));
        assertThrows(
                UsageException.class,
                () -> Grammar.ofJsonSchema(Map.of("properties", Map.of("x".repeat(100_000), true)), "test"));
    }
}
