package dev.tandem.runtime.synthetic;

/**
 * Dimensions of a published model.
 *
 * @param name as users type it
 * @param architecture as GGUF files name it
 * @param layers number of blocks
 * @param width of the hidden state
 * @param feedForward inner width of the feed-forward part
 * @param heads query heads
 * @param kvHeads key and value heads
 * @param headDim columns of a head
 * @param vocabulary number of tokens
 * @param tied whether the embedding table is the output matrix too
 * @param headNorms whether queries and keys are normalised per head
 * @param ropeBase base of the rotary frequencies
 * @param epsilon of the norms
 * @param trainedContext positions
 */
record Shape(
        String name,
        String architecture,
        int layers,
        int width,
        int feedForward,
        int heads,
        int kvHeads,
        int headDim,
        int vocabulary,
        boolean tied,
        boolean headNorms,
        float ropeBase,
        float epsilon,
        int trainedContext) {

    static Shape qwen3(String size, int layers, int width, int feedForward, int heads, boolean tied) {
        return new Shape(
                "qwen3-" + size,
                "qwen3",
                layers,
                width,
                feedForward,
                heads,
                8,
                128,
                151_936,
                tied,
                true,
                1e6f,
                1e-6f,
                40_960);
    }

    static Shape llama(String name, int layers, int width, int feedForward, int heads, int headDim) {
        return new Shape(
                name,
                "llama",
                layers,
                width,
                feedForward,
                heads,
                8,
                headDim,
                128_256,
                true,
                false,
                5e5f,
                1e-5f,
                131_072);
    }
}
