/**
 * Models with random weights in the shapes of real ones, so that speed can be measured without a download.
 *
 * <p>{@link dev.tandem.runtime.synthetic.SyntheticModel} is the door. The text that such a model writes means nothing;
 * its files are well-formed, and other engines read them too.
 */
@NullMarked
package dev.tandem.runtime.synthetic;

import org.jspecify.annotations.NullMarked;
