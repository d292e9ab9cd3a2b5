package dev.tandem.runtime;

import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model's targets in a form that gives hidden states too. Safe for use by several threads. */
final class TappedTargets implements TargetSource, AutoCloseable {
    private final TargetSwitch targets;
    private final TargetBuilder builder;
    private final List<HiddenTap> taps;
    private @Nullable LoadedTarget base;
    private @Nullable Target tapped;

    TappedTargets(TargetSwitch targets, TargetBuilder builder, List<HiddenTap> taps) {
        this.targets = targets;
        this.builder = builder;
        this.taps = taps;
    }

    @Override
    public synchronized Target current() {
        LoadedTarget now = targets.loaded();
        Target made = tapped;
        if (made == null || base == null || !now.target().equals(base.target())) {
            close();
            made = builder.tapped(now, taps);
            tapped = made;
            base = now;
        }
        return made;
    }

    @Override
    public synchronized Target afterLoss(Target lost, DeviceException cause) {
        if (base != null && lost.equals(tapped)) {
            targets.afterLoss(base.target(), cause);
        }
        return current();
    }

    @Override
    public synchronized void close() {
        if (tapped != null) {
            tapped.close();
            tapped = null;
        }
    }
}
