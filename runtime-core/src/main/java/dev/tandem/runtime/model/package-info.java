/**
 * From a model file to graphs: one class per architecture.
 *
 * <p>An {@link dev.tandem.runtime.model.Architecture} reads metadata and tensors, checks them against each other and
 * answers with a {@link dev.tandem.runtime.model.LanguageModel}, which builds graphs. Architectures know shared parts
 * ({@code Hyperparameters}, {@code Tensors}, {@code Ropes}, {@code Decoder}, {@code Block}) and never each other, so a
 * new one cannot change an old one; it is named in {@link dev.tandem.runtime.model.Architectures} and nowhere else. What
 * does not belong here: arithmetic and devices.
 */
@NullMarked
package dev.tandem.runtime.model;

import org.jspecify.annotations.NullMarked;
