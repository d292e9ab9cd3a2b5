/**
 * The ROCm plugin: names of AMD's HIP library and its functions. Everything else is {@link dev.tandem.gpu}.
 */
@NullMarked
package dev.tandem.backend.hip;

import org.jspecify.annotations.NullMarked;
