@NullMarked
package dev.tandem.testkit.oracle;

import org.jspecify.annotations.NullMarked;
