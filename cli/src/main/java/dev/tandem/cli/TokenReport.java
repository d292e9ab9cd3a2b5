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
        int room = Math.max(columns - columnsBeforePiece(), NARROWEST_PIECE);
        for (int i = 0; i < encoding.ids().length; i++) {
            int id = encoding.ids()[i];
            table.row(
                    Integer.toString(id),
                    Integer.toString(encoding.starts()[i]),
                    Integer.toString(encoding.ends()[i]),
                    hex(tokenizer.bytes(id)),
                    Text.abbreviate(Text.oneLine(tokenizer.piece(id)), room));
        }
        return table.render(0, columns);
    }

    /** What the columns of the table but the last take, with the gaps behind them. */
    private int columnsBeforePiece() {
        int ids = "id".length();
        int offsets = 0;
        int bytes = "bytes".length();
        for (int i = 0; i < encoding.ids().length; i++) {
            int id = encoding.ids()[i];
            ids = Math.max(ids, Integer.toString(id).length());
            offsets = Math.max(offsets, Integer.toString(encoding.ends()[i]).length());
            bytes = Math.max(bytes, hex(tokenizer.bytes(id)).length());
        }
        return ids + Math.max(offsets, "from".length()) + Math.max(offsets, "to".length()) + bytes + 4 * 2;
    }

    private static String hex(byte[] bytes) {
        return bytes.length <= SHOWN_BYTES
                ? SPACED.formatHex(bytes)
                : SPACED.formatHex(bytes, 0, SHOWN_BYTES - 1) + " …";
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
