package dev.tandem.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Rows in aligned columns; where a row is too wide, its first cell gets a line and the others the next. */
final class Table {
    private static final String GAP = "  ";

    private final Set<Integer> rightAligned;
    private final List<List<String>> rows = new ArrayList<>();

    /** A table whose given columns hold numbers. */
    Table(Integer... rightAligned) {
        this.rightAligned = Set.of(rightAligned);
    }

    /** Adds a row; all rows have equally many cells. */
    Table row(String... cells) {
        rows.add(List.of(cells));
        return this;
    }

    /** The lines of the table, each indented and ended. */
    String render(int indent, int columns) {
        if (rows.isEmpty()) {
            return "";
        }
        int[] widths = widths();
        long total = indent + (long) GAP.length() * (widths.length - 1);
        for (int width : widths) {
            total += width;
        }
        boolean stacked = total > columns && widths.length > 1;
        String margin = " ".repeat(indent);
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(margin);
            for (int c = 0; c < row.size(); c++) {
                if (stacked && c == 1) {
                    text.append(line.toString().stripTrailing()).append('\n');
                    line.setLength(0);
                    line.append(margin).append(GAP);
                } else if (c > 0) {
                    line.append(GAP);
                }
                line.append(stacked && c == 0 ? row.getFirst() : aligned(row.get(c), widths[c], c));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private String aligned(String cell, int width, int column) {
        String padding = " ".repeat(width - length(cell));
        return rightAligned.contains(column) ? padding + cell : cell + padding;
    }

    private int[] widths() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int c = 0; c < widths.length; c++) {
                widths[c] = Math.max(widths[c], length(row.get(c)));
            }
        }
        return widths;
    }

    private static int length(String cell) {
        return cell.codePointCount(0, cell.length());
    }
}
