/**
 * Files that are written whole or not at all. What does not belong here: what stands in them.
 */
@NullMarked
package dev.tandem.runtime.files;

import org.jspecify.annotations.NullMarked;
