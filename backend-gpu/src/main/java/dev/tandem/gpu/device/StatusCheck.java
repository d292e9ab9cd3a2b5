package dev.tandem.gpu.device;

import dev.tandem.gpu.ffm.Driver;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend.MemoryInfo;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns statuses of the driver into exceptions, and remembers whether a device can still be used. */
final class StatusCheck {
    private final Driver driver;
    private final String device;
    private @Nullable DeviceException lost;
    private boolean closed;

    StatusCheck(Driver driver, String device) {
        this.driver = driver;
        this.device = device;
    }

    /** Name of the device for messages. */
    String device() {
        return device;
    }

    boolean alive() {
        return lost == null && !closed;
    }

    /** Refuses every call from now on; answers false the second time. */
    boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    void requireAlive() {
        if (lost != null) {
            throw new DeviceException(ErrorCode.DEVICE_LOST, lost.getMessage(), true, lost);
        }
        if (closed) {
            throw new DeviceException(ErrorCode.DEVICE_LOST, device + ": it was closed", true, null);
        }
    }

    void check(int status, DriverFunction function, String doing) {
        if (status != 0) {
            throw failure(status, function, doing);
        }
    }

    /** Says how much was wanted and how much there is, where that is what failed. */
    void checkRoom(int status, DriverFunction function, long bytes, String what, Supplier<MemoryInfo> now) {
        if (status == Status.OUT_OF_MEMORY) {
            MemoryInfo memory = now.get();
            throw new DeviceException(
                    ErrorCode.OUT_OF_MEMORY,
                    device + ": no memory for " + what + ": " + mebibytes(bytes) + " wanted, "
                            + mebibytes(memory.freeBytes()) + " of " + mebibytes(memory.totalBytes()) + " free ("
                            + driver.symbol(function) + ")",
                    false,
                    null);
        }
        check(status, function, "taking memory for " + what);
    }

    /** The exception for a status that is not 0; but for a lack of memory the device is lost by it. */
    DeviceException failure(int status, DriverFunction function, String doing) {
        String word = driver.errorName(status);
        String code = word.isEmpty() ? "error " + status : "error " + status + ", " + word;
        String message = device + ": " + doing + " failed: " + driver.symbol(function) + " gave " + code;
        if (status == Status.OUT_OF_MEMORY) {
            return new DeviceException(ErrorCode.OUT_OF_MEMORY, message, false, null);
        }
        DeviceException failure = new DeviceException(ErrorCode.DEVICE_LOST, message, true, null);
        lost = failure;
        return failure;
    }

    private static String mebibytes(long bytes) {
        return bytes < 0 ? "an unknown number" : String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0);
    }
}
