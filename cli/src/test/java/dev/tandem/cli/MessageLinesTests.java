package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageLinesTests {
    @ParameterizedTest
    @ValueSource(strings = {"a\\", "a\\\nb\\", "\"\"\"", "\"\"\"a", "\"\"\"\na\n\"\"", "\"\"\"\"", "a\\\\\\"})
    void wantsAnotherLine(String typed) {
        assertTrue(MessageLines.isOpen(typed), typed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a", "a\\\nb", "a\\\\", "\"\"\"a\"\"\"", "\"\"\"\"\"\"", "say \"\"\"", "\"\"\"\na\\\n\"\"\" "
            })
    void isComplete(String typed) {
        assertFalse(MessageLines.isOpen(typed), typed);
    }

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "' a ', ' a '",
        "a\\^b, a^b",
        "\"\"\"^a^ b^\"\"\", a^ b",
        "\"\"\"a\"\"\", a",
        "\"\"\"^a\\^b\"\"\", a\\^b",
        "\"\"\"^\"\"\", ''",
        "\"\"\"\"\"\", ''",
        "a^b, a^b"
    })
    void leavesOutWhatJoinsTheLines(String typed, String message) {
        assertEquals(message.replace('^', '\n'), MessageLines.message(typed.replace('^', '\n')));
    }

    @Test
    void whatTheUserLeftOpenIsTakenAsItIs() {
        assertEquals("\"\"\"a", MessageLines.message("\"\"\"a"));
    }
}
