@NullMarked
package dev.tandem.testkit.wrap;

import org.jspecify.annotations.NullMarked;
