package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.DyingBackend;

/** Without a death, the dying backend is a sound one. */
final class DyingContractTests extends BackendContract {
    @Override
    protected BackendProvider provider() {
        return new SuppliedProvider("dying", () -> new DyingBackend(OracleProvider.open(), Death.never()));
    }

    @Override
    protected boolean keepsContractBits() {
        return false; // float64
    }
}
