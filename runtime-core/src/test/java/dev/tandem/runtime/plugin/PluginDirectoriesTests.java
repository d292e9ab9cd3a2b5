package dev.tandem.runtime.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginDirectoriesTests {
    @TempDir
    Path temp;

    private Path root;

    @BeforeEach
    void resolveRoot() throws IOException {
        root = temp.toRealPath();
    }

    @Test
    void ranksOptionThenEnvironmentThenInstallationThenUserData() throws IOException {
        Path option = directory("option");
        Path first = directory("first");
        Path second = directory("second");
        Path installed = directory("install/plugins");
        Path user = directory("home/.local/share/tandem/plugins");
        PluginHost host = host(
                Map.of(PluginDirectories.VARIABLE, first + ":" + second),
                "Linux",
                Optional.of(root.resolve("install")));

        PluginDirectories found = PluginDirectories.resolve(List.of(option), host);

        assertEquals(
                List.of(
                        new PluginDirectory(option, PluginSource.OPTION),
                        new PluginDirectory(first, PluginSource.ENVIRONMENT),
                        new PluginDirectory(second, PluginSource.ENVIRONMENT),
                        new PluginDirectory(installed, PluginSource.INSTALLATION),
                        new PluginDirectory(user, PluginSource.USER_DATA)),
                found.directories());
        assertEquals(List.of(), found.notices());
    }

    @Test
    void leavesOutDirectoriesThatDoNotExist() {
        PluginHost host = host(
                Map.of(PluginDirectories.VARIABLE, root.resolve("absent").toString()),
                "Linux",
                Optional.of(root.resolve("nowhere")));
        assertEquals(new PluginDirectories(List.of(), List.of()), PluginDirectories.resolve(List.of(), host));
    }

    @Test
    void refusesAnOptionThatIsNotADirectory() throws IOException {
        Path absent = root.resolve("absent");
        Path file = Files.createFile(root.resolve("plugin.jar"));
        PluginHost host = host(Map.of(), "Linux", Optional.empty());

        UsageException missing =
                assertThrows(UsageException.class, () -> PluginDirectories.resolve(List.of(absent), host));
        assertEquals("--plugins " + absent + " does not exist", missing.getMessage());
        UsageException wrong = assertThrows(UsageException.class, () -> PluginDirectories.resolve(List.of(file), host));
        assertEquals("--plugins " + file + " is not a directory", wrong.getMessage());
    }

    @Test
    void neverSearchesTheWorkingDirectoryForTheSakeOfTheEnvironment() {
        PluginHost host =
                host(Map.of(PluginDirectories.VARIABLE, ".::target:", "XDG_DATA_HOME", "."), "Linux", Optional.empty());

        PluginDirectories found = PluginDirectories.resolve(List.of(), host);

        assertEquals(List.of(), found.directories());
        assertEquals(2, found.notices().size(), () -> found.notices().toString());
        assertTrue(found.notices().getFirst().startsWith("TANDEM_PLUGINS: '.' is a relative path"));
    }

    @Test
    void listsADirectoryOnceThoughTwoPathsLeadToIt() throws IOException {
        Path real = directory("real");
        Path link = Files.createSymbolicLink(root.resolve("link"), real);
        PluginHost host = host(Map.of(PluginDirectories.VARIABLE, real.toString()), "Linux", Optional.empty());
        assertEquals(
                List.of(new PluginDirectory(link, PluginSource.OPTION)),
                PluginDirectories.resolve(List.of(link), host).directories());
    }

    @Test
    void followsTheCustomOfEachOperatingSystemForUserData() {
        Path data = root.resolve("data");
        Path home = root.resolve("home");
        assertEquals(
                Optional.of(data.resolve("tandem/plugins")),
                host(Map.of("XDG_DATA_HOME", data.toString()), "Linux", Optional.empty())
                        .userPlugins());
        assertEquals(
                Optional.of(home.resolve("Library/Application Support/tandem/plugins")),
                host(Map.of("XDG_DATA_HOME", data.toString()), "Mac OS X", Optional.empty())
                        .userPlugins());
        assertEquals(
                Optional.of(data.resolve("tandem/plugins")),
                host(Map.of("APPDATA", data.toString()), "Windows 11", Optional.empty())
                        .userPlugins());
        assertEquals(
                Optional.empty(), host(Map.of(), "Windows 11", Optional.empty()).userPlugins());
    }

    private Path directory(String name) throws IOException {
        return Files.createDirectories(root.resolve(name));
    }

    private PluginHost host(Map<String, String> environment, String osName, Optional<Path> installation) {
        return new PluginHost(environment, osName, root.resolve("home").toString(), ":", installation);
    }
}
