@NullMarked
package dev.tandem.testkit.draft;

import org.jspecify.annotations.NullMarked;
