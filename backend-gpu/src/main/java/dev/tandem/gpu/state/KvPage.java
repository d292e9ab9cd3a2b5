package dev.tandem.gpu.state;

import dev.tandem.gpu.device.DeviceBuffer;

/** Keys and values of 128 consecutive rows in every slot of a sequence. Forks share pages until one of them writes. */
final class KvPage {
    private final DeviceBuffer memory;
    private int owners = 1;

    KvPage(DeviceBuffer memory) {
        this.memory = memory;
    }

    long address() {
        return memory.address();
    }

    boolean shared() {
        return owners > 1;
    }

    KvPage share() {
        owners++;
        return this;
    }

    void release() {
        if (--owners == 0) {
            memory.close();
        }
    }
}
