package dev.tandem.runtime;

import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.spi.DeviceException;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The target of a model, and its replacement once the device is lost. Safe for use by several threads. */
final class TargetSwitch implements TargetSource, AutoCloseable {
    /** The engine's, since both closing and building call backends. */
    private final Lock lane;

    private volatile LoadedTarget loaded;
    private @Nullable Supplier<LoadedTarget> replacement;
    private boolean closed;

    /**
     * A switch.
     *
     * @param lane held while targets change; reentrant
     * @param loaded in use
     * @param replacement builds another, once; null where there is none
     */
    TargetSwitch(Lock lane, LoadedTarget loaded, @Nullable Supplier<LoadedTarget> replacement) {
        this.lane = lane;
        this.loaded = loaded;
        this.replacement = replacement;
    }

    @Override
    public Target current() {
        return loaded.target();
    }

    LoadedTarget loaded() {
        return loaded;
    }

    @Override
    public Target afterLoss(Target lost, DeviceException cause) {
        lane.lock();
        try {
            if (!loaded.target().equals(lost)) {
                return loaded.target();
            }
            Supplier<LoadedTarget> build = replacement;
            if (build == null || closed) {
                throw cause;
            }
            replacement = null;
            loaded.close();
            loaded = build.get();
            return loaded.target();
        } finally {
            lane.unlock();
        }
    }

    @Override
    public void close() {
        lane.lock();
        try {
            if (!closed) {
                closed = true;
                loaded.close();
            }
        } finally {
            lane.unlock();
        }
    }
}
