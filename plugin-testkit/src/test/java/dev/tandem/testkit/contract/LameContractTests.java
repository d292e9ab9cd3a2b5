package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.oracle.OracleProvider;
import dev.tandem.testkit.wrap.LameBackend;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Backends that refuse something keep the contract for the rest. */
final class LameContractTests {
    @Nested
    final class WithoutAttention extends BackendContract {
        @Override
        protected BackendProvider provider() {
            return new SuppliedProvider("lame", () -> LameBackend.withoutOp(OracleProvider.open(), Op.Attention.class));
        }

        @Override
        protected boolean keepsContractBits() {
            return false; // float64
        }
    }

    @Nested
    final class WithoutOneWeightType extends BackendContract {
        @Override
        protected BackendProvider provider() {
            return new SuppliedProvider("lame", () -> LameBackend.withoutWeightType(OracleProvider.open(), DType.Q8_0));
        }

        @Override
        protected boolean keepsContractBits() {
            return false; // float64
        }
    }

    /** Every op that a backend may refuse. */
    static Stream<Class<?>> ops() {
        return Stream.of(Op.class.getPermittedSubclasses())
                .filter(op -> !List.of(Op.Input.class, Op.Output.class).contains(op));
    }

    @ParameterizedTest
    @MethodSource("ops")
    void refusesAnyOneOpCleanly(Class<? extends Op> op) {
        Backend backend = LameBackend.withoutOp(OracleProvider.open(), op);
        ContractRun run = new ContractRun(new SuppliedProvider("lame", () -> backend));
        Assertions.assertEquals(Map.of(), run.failures("required_be02_whatIsRefused"));
    }

    @Test
    void everyOpHasACase() {
        List<Class<?>> missing = ops().filter(op -> OpCase.all().stream()
                        .noneMatch(c -> op.isInstance(c.node().op())))
                .toList();
        Assertions.assertEquals(List.of(), missing);
    }
}
