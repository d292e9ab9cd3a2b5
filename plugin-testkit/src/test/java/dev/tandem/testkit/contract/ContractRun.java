package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.BackendProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.opentest4j.TestAbortedException;

/** The contract's methods run as plain methods, for tests of the contract itself. */
final class ContractRun {
    private final BackendProvider provider;

    ContractRun(BackendProvider provider) {
        this.provider = provider;
    }

    private final class Binding extends BackendContract {
        @Override
        protected BackendProvider provider() {
            return provider;
        }
    }

    /** Names of all tests of the contract. */
    static Set<String> tests() {
        return Stream.of(BackendContract.class.getDeclaredMethods())
                .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Methods of a rule that failed, with their failures. */
    Map<String, String> failures(String prefix) {
        Map<String, String> failures = new TreeMap<>();
        int ran = 0;
        for (Method method : BackendContract.class.getDeclaredMethods()) {
            if (method.isAnnotationPresent(Test.class) && method.getName().startsWith(prefix)) {
                ran++;
                failure(method).ifPresent(failure -> failures.put(method.getName(), failure));
            }
        }
        if (ran == 0) {
            throw new IllegalArgumentException("no test of " + prefix);
        }
        return failures;
    }

    private Optional<String> failure(Method method) {
        Binding binding = new Binding();
        try {
            binding.openBackend();
            method.invoke(binding);
            return Optional.empty();
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            return thrown instanceof TestAbortedException ? Optional.empty() : Optional.of(String.valueOf(thrown));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (RuntimeException e) {
            return Optional.of(String.valueOf(e)); // the probe or open threw
        }
    }
}
