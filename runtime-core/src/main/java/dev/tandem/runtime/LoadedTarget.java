package dev.tandem.runtime;

import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.WeightSet;
import java.util.List;
import java.util.Map;

/** A compiled target with the weights that it owns. */
record LoadedTarget(Target target, Placement placement, Map<Backend, List<WeightSet>> weights)
        implements AutoCloseable {
    @Override
    public void close() {
        target.close();
        weights.values().forEach(sets -> sets.forEach(WeightSet::close));
    }
}
