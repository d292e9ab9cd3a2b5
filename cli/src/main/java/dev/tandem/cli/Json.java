package dev.tandem.cli;

import java.util.Collection;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Makes and prints the objects of {@code --json}. */
final class Json {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private Json() {}

    /** An empty object. */
    static ObjectNode object() {
        return NODES.objectNode();
    }

    /** An array of numbers. */
    static ArrayNode numbers(int[] values) {
        ArrayNode array = NODES.arrayNode(values.length);
        for (int value : values) {
            array.add(value);
        }
        return array;
    }

    /** An array of strings. */
    static ArrayNode texts(Collection<String> values) {
        ArrayNode array = NODES.arrayNode(values.size());
        values.forEach(array::add);
        return array;
    }

    /** The text of an object, ended by a line break. */
    static String print(ObjectNode object) {
        return JsonMapper.shared().writerWithDefaultPrettyPrinter().writeValueAsString(object) + "\n";
    }
}
