package dev.tandem.runtime.synthetic;

import dev.tandem.spi.model.DType;

/** Which type each matrix of a file has, by the habits of the published files. */
enum Mixture {
    F16(DType.F16, DType.F16, 1),
    BF16(DType.BF16, DType.BF16, 32),
    Q8_0(DType.Q8_0, DType.Q8_0, 7),
    /** The output matrix is a Q6_K. */
    Q4_0(DType.Q4_0, DType.Q6_K, 2),
    /** The output matrix, and value and down matrices of half of the layers, are Q6_K. */
    Q4_K_M(DType.Q4_K, DType.Q6_K, 15);

    private final DType type;
    private final DType better;
    private final int fileType;

    Mixture(DType type, DType better, int fileType) {
        this.type = type;
        this.better = better;
        this.fileType = fileType;
    }

    /** The type of most matrices. */
    DType type() {
        return type;
    }

    /** The type of the output matrix, which a tied embedding table shares. */
    DType output() {
        return better;
    }

    /** The type of value and down matrices: better in the first and last eighth of the layers and every third between. */
    DType sensitive(int layer, int layers) {
        boolean more = layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
        return this == Q4_K_M && more ? better : type;
    }

    /** The number of {@code general.file_type}. */
    int fileType() {
        return fileType;
    }
}
