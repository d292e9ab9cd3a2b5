package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;

/** The contract's methods run as plain methods, for tests of the contract itself. */
final class DraftContractRun {
    private DraftContractRun() {}

    private static final class Binding extends DraftContract {
        private final Supplier<DraftProvider> provider;

        Binding(Supplier<DraftProvider> provider) {
            this.provider = provider;
        }

        @Override
        protected DraftProvider provider() {
            return provider.get();
        }

        @Override
        protected DraftQuery query() {
            return BelievingEngine.QUERY;
        }

        @Override
        protected int[] generate(Optional<DraftProvider> drafter, Shape shape) {
            return BelievingEngine.generate(drafter, shape);
        }
    }

    private static Stream<Method> methods() {
        return Stream.of(DraftContract.class.getDeclaredMethods())
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class));
    }

    /** Names of all tests of the contract. */
    static Set<String> tests() {
        return methods().map(Method::getName).collect(Collectors.toCollection(TreeSet::new));
    }

    /** How a test of the contract fails for a strategy; empty where it passes. */
    static Optional<String> failure(String test, Supplier<DraftProvider> provider) {
        Method method = methods()
                .filter(m -> m.getName().equals(test))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no test " + test));
        try {
            method.invoke(new Binding(provider));
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of(String.valueOf(e.getCause()));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
