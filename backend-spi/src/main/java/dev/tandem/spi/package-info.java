/**
 * Words that every plugin kind shares: the contract's version, what a probe answers, and errors that say who acts.
 *
 * <p>What belongs here: types that both {@code spi.backend} and {@code spi.draft} need and that know nothing of either.
 * What does not: anything about models ({@link dev.tandem.spi.model}), arithmetic ({@link dev.tandem.spi.numeric}) or
 * graphs ({@link dev.tandem.spi.graph}).
 *
 * <p>Rules for all plugins:
 *
 * <ul>
 *   <li>PL-01 A provider has a public constructor without parameters that does no work.
 *   <li>PL-02 Absence is a value: {@link dev.tandem.spi.Availability.Unavailable} with the driver's own words.
 *   <li>PL-03 The plugin's jar states {@code Spi-Version} in its manifest and holds no {@code dev.tandem.spi} class.
 *   <li>PL-04 A plugin prints nothing and never ends the process.
 * </ul>
 */
@Incubating
@NullMarked
package dev.tandem.spi;

import org.jspecify.annotations.NullMarked;
