/**
 * The vector twin: the same bits as the scalar one, by the Vector API. The only package that imports
 * {@code jdk.incubator.vector}.
 */
@NullMarked
package dev.tandem.backend.cpu.vector;

import org.jspecify.annotations.NullMarked;
