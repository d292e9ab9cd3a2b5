package dev.tandem.spi.graph;

/**
 * A value: defined once, by one node of its graph.
 *
 * @param id unique in its graph, from 0 in order of definition
 * @param type element type, rows and columns
 */
public record Value(int id, ValueType type) {
    /**
     * Elements per row.
     *
     * @return the type's columns
     */
    public int columns() {
        return type.columns();
    }

    @Override
    public String toString() {
        return "%" + id + ": " + type;
    }
}
