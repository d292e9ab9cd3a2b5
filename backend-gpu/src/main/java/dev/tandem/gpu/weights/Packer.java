package dev.tandem.gpu.weights;

/** Packs rows of a weight in tiles. Tiles of one packer may be packed by several threads at once. */
interface Packer {
    /** Rows of a tile. */
    int tileRows();

    /** Bytes of a tile. */
    int tileBytes();

    /**
     * Packs some rows; what is missing in the tile is 0.
     *
     * @param firstRow of the weight
     * @param count at most {@link #tileRows()}
     * @param out zeros from {@code at} on
     * @param at where the tile begins
     */
    void pack(int firstRow, int count, byte[] out, int at);

    /** The packer for a form. */
    static Packer of(FileRows rows, MatrixForm form) {
        return form.integer() ? new IntegerPacker(rows, form) : new FloatPacker(rows, form);
    }
}
