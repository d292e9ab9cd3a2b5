/**
 * The CUDA plugin: names of NVIDIA's driver library and its functions. Everything else is {@link dev.tandem.gpu}.
 */
@NullMarked
package dev.tandem.backend.cuda;

import org.jspecify.annotations.NullMarked;
