package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.oracle.OracleProvider;

final class OracleContractTests extends BackendContract {
    @Override
    protected BackendProvider provider() {
        return new OracleProvider();
    }

    @Override
    protected boolean keepsContractBits() {
        return false; // float64
    }
}
