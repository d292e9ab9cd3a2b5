package dev.tandem.runtime.tokenizer;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;

/** The model of a file without a tokenizer: ids mean nothing as text. */
final class NoText implements TokenModel {
    private final String file;

    NoText(String file) {
        this.file = file;
    }

    @Override
    public void encode(String text, int from, int to, IdList ids) {
        throw refusal();
    }

    @Override
    public byte[] bytes(String piece) {
        return new byte[0];
    }

    /** Why text is refused. */
    UsageException refusal() {
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                file + " has no tokenizer, so it runs from token ids and not from text",
                "Use a model file with tokenizer.ggml keys, or give token ids.");
    }
}
