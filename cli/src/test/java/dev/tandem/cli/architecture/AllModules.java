package dev.tandem.cli.architecture;

import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.core.importer.Locations;
import com.tngtech.archunit.junit.LocationProvider;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The class path, and the plugins for GPUs, which are not on it so that the commands under test do not find them. */
final class AllModules implements LocationProvider {
    @Override
    public Set<Location> get(Class<?> testClass) {
        Path root = Path.of(System.getProperty("tandem.root", ".."));
        Stream<Location> plugins = Stream.of("backend-cuda", "backend-hip")
                .map(module ->
                        Location.of(root.resolve(module).resolve("target").resolve("classes")));
        return Stream.concat(Locations.ofPackage("dev.tandem").stream(), plugins)
                .collect(Collectors.toSet());
    }
}
