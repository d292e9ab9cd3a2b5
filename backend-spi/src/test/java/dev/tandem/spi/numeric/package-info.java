/** Claims about the numeric contract: errors against float64, bits against golden data, order of summation. */
@NullMarked
package dev.tandem.spi.numeric;

import org.jspecify.annotations.NullMarked;
