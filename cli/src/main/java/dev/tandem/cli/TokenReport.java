package dev.tandem.cli;

import dev.tandem.runtime.tokenizer.Encoding;
import dev.tandem.runtime.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A text as tokens, for people and for programs.
 *
 * @param tokenizer of the model
 * @param text that was encoded
 * @param encoding of the text
 */
record TokenReport(Tokenizer tokenizer, String text, Encoding encoding) {
    /** A longer token shows its first bytes. */
    private static final int SHOWN_BYTES = 8;

    private static final int NARROWEST_PIECE = 12;
    private static final HexFormat SPACED = HexFormat.ofDelimiter(" ");

    /** One line for each token, no wider than the columns where they are not very few. */
    String table(int columns) {
        Table table = new Table(0, 1, 2).row("id", "from", "to", "bytes", "piece");
        int room = columns;
        for (String cell : longest()) {
            room -= cell.length() + 2;
        }
        for (int i = 0; i < encoding.ids().length; i++) {
            int id = encoding.ids()[i];
            table.row(
                    Integer.toString(id),
                    Integer.toString(encoding.starts()[i]),
                    Integer.toString(encoding.ends()[i]),
                    hex(tokenizer.bytes(id)),
                    Text.abbreviate(Text.oneLine(tokenizer.piece(id)), Math.max(room, NARROWEST_PIECE)));
        }
        return table.render(0, columns);
    }

    /** The widest cells of all columns but the last. */
    private String[] longest() {
        int maxId = 0;
        int maxBytes = 0;
        int end = 0;
        for (int i = 0; i < encoding.ids().length; i++) {
            maxId = Math.max(maxId, encoding.ids()[i]);
            maxBytes = Math.max(maxBytes, hex(tokenizer.bytes(encoding.ids()[i])).length());
            end = Math.max(end, encoding.ends()[i]);
        }
        String number = Integer.toString(end);
        return new String[] {
            Integer.toString(maxId),
            number.length() < 4 ? "from" : number,
            number,
            "-".repeat(Math.max(maxBytes, "bytes".length()))
        };
    }

    private static String hex(byte[] bytes) {
        return bytes.length <= SHOWN_BYTES ? SPACED.formatHex(bytes) : SPACED.formatHex(bytes, 0, SHOWN_BYTES - 1) + " …";
    }

    /** How many tokens and bytes. */
    String summary() {
        return Text.plural(encoding.ids().length, "token") + ", "
                + Text.plural(text.getBytes(StandardCharsets.UTF_8).length, "byte");
    }

    /** Everything, with offsets in bytes of the UTF-8 and in code points. */
    ObjectNode json(Path model) {
        ObjectNode report = Json.object();
        report.put("model", model.toString());
        report.put("count", encoding.ids().length);
        report.set("ids", Json.numbers(encoding.ids()));
        int[] characters = charactersBefore();
        ArrayNode tokens = report.putArray("tokens");
        for (int i = 0; i < encoding.ids().length; i++) {
            int id = encoding.ids()[i];
            int start = encoding.starts()[i];
            int end = encoding.ends()[i];
            tokens.addObject()
                    .put("id", id)
                    .put("piece", tokenizer.piece(id))
                    .put("type", tokenizer.type(id).name().toLowerCase(Locale.ROOT))
                    .put("bytes", HexFormat.of().formatHex(tokenizer.bytes(id)))
                    .put("start", start)
                    .put("end", end)
                    // Of the characters that the token touches.
                    .put("char_start", start == end ? characters[start] : characters[start + 1] - 1)
                    .put("char_end", characters[end]);
        }
        return report;
    }

    /** By byte offset, how many characters begin before it. */
    private int[] charactersBefore() {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int[] before = new int[bytes.length + 1];
        for (int i = 0; i < bytes.length; i++) {
            boolean begins = (bytes[i] & 0xC0) != 0x80;
            before[i + 1] = before[i] + (begins ? 1 : 0);
        }
        return before;
    }

    /** The answer to a list of ids. */
    static ObjectNode decodedJson(Path model, int[] ids, String text) {
        ObjectNode report = Json.object();
        report.put("model", model.toString());
        report.put("count", ids.length);
        report.set("ids", Json.numbers(ids));
        report.put("text", text);
        return report;
    }
}
