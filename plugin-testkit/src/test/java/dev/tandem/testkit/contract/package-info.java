@NullMarked
package dev.tandem.testkit.contract;

import org.jspecify.annotations.NullMarked;
