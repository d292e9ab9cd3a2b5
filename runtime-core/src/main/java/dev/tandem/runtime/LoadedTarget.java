package dev.tandem.runtime;

import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.placement.Site;

/** A compiled target and the place of its weights; owns both. */
record LoadedTarget(Target target, Site site) implements AutoCloseable {
    @Override
    public void close() {
        target.close();
        site.close();
    }
}
