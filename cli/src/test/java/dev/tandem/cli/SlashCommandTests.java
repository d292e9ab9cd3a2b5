package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SlashCommandTests {
    @ParameterizedTest
    @CsvSource({
        "/help, HELP, ''",
        "'/HELP  ', HELP, ''",
        "/system, SYSTEM, ''",
        "'/system  Be brief.  And kind. ', SYSTEM, Be brief.  And kind.",
        "/save a file.json, SAVE, a file.json",
        "/think off, THINK, off",
        "/exit, EXIT, ''"
    })
    void understandsNameAndArgument(String line, SlashCommand command, String argument) {
        assertEquals(new SlashCommand.Call(command, argument), SlashCommand.parse(line));
    }

    @Test
    void understandsAnArgumentOfSeveralLines() {
        assertEquals(new SlashCommand.Call(SlashCommand.SYSTEM, "a\nb"), SlashCommand.parse("/system a\nb"));
    }

    @ParameterizedTest
    @CsvSource({
        "/sav x, unknown command '/sav'; did you mean '/save'?",
        "/, unknown command '/'",
        "/usr/bin/env, unknown command '/usr/bin/env'",
        "/save, /save wants FILE",
        "/reset now, /reset takes nothing behind it"
    })
    void saysWhatIsWrong(String line, String message) {
        UsageException e = assertThrows(UsageException.class, () -> SlashCommand.parse(line));

        assertEquals(message, e.getMessage());
        assertFalse(e.remedy().isBlank());
    }

    @Test
    void aLineThatBeginsWithASpaceIsAMessage() {
        assertTrue(SlashCommand.isCommand("/usr"));
        assertFalse(SlashCommand.isCommand(" /usr"));
    }

    @ParameterizedTest
    @ValueSource(ints = {40, 80, 200})
    void helpNamesEveryCommandWithinTheWidth(int columns) {
        String help = SlashCommand.help(columns);

        SlashCommand.allTyped().forEach(name -> assertTrue(help.contains("  " + name), help));
        help.lines().forEach(line -> assertTrue(line.length() <= columns, line));
    }
}
