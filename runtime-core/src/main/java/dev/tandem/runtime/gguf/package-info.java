/**
 * Reads GGUF files, version 2 and 3, little-endian, single or split, into a checked
 * {@link dev.tandem.spi.model.ModelView}.
 *
 * <p>{@link dev.tandem.runtime.gguf.GgufFile} is the door. A file is mapped, never loaded: its header is walked once and
 * every count, length, shape and offset is checked against the bytes that are there before anything is allocated from
 * it; values, token lists included, are decoded when asked for. A file that breaks a rule is refused with a
 * {@link dev.tandem.spi.ModelFileException} that names the file and the field.
 *
 * <p>The meaning of keys and tensors does not belong here: see the packages {@code model}, {@code tokenizer} and
 * {@code chat} of the runtime. Block layouts are described at {@link dev.tandem.spi.model.DType}.
 */
@NullMarked
package dev.tandem.runtime.gguf;

import org.jspecify.annotations.NullMarked;
