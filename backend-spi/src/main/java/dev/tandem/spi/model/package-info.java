/**
 * A checked, read-only view of a model file, for backends and draft strategies.
 *
 * <p>The engine reads files and verifies every count, offset and length before a {@link dev.tandem.spi.model.ModelView}
 * exists, so a plugin may trust it. Nothing here knows a file format. The block layouts of quantised types are those of
 * ggml; {@link dev.tandem.spi.numeric.Dequantizer} reads them.
 */
@Incubating
@NullMarked
package dev.tandem.spi.model;

import dev.tandem.spi.Incubating;
import org.jspecify.annotations.NullMarked;
