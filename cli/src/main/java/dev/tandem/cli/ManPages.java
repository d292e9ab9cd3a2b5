package dev.tandem.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine;

/** Writes what a distribution holds beside the program: a manual page of each command, and the completion script. */
public final class ManPages {
    private ManPages() {}

    /**
     * Writes the files.
     *
     * @param args the folder to write into, which gets {@code man/man1} and {@code bash-completion/completions}
     * @throws IOException where that fails
     */
    public static void main(String[] args) throws IOException {
        Path share = Path.of(args[0]);
        CommandLine root = root();
        Path pages = Files.createDirectories(share.resolve("man").resolve("man1"));
        for (Map.Entry<String, String> page : pages(root).entrySet()) {
            Files.writeString(pages.resolve(page.getKey() + ".1"), page.getValue());
        }
        Path completions =
                Files.createDirectories(share.resolve("bash-completion").resolve("completions"));
        Files.writeString(completions.resolve("tandem"), CompletionCommand.script(root));
    }

    private static CommandLine root() {
        Console console = new Console(
                InputStream.nullInputStream(),
                OutputStream.nullOutputStream(),
                OutputStream.nullOutputStream(),
                Terminal.NONE);
        Installation nowhere = new Installation(Optional.empty(), new Environment(Map.of(), "", Path.of("")));
        return new Tandem(new Context(console, new Interruption(), nowhere)).commandLine();
    }

    /** Every page by its name, such as {@code tandem-run}. */
    static Map<String, String> pages(CommandLine root) {
        Map<String, String> pages = new TreeMap<>();
        pages.put(root.getCommandName(), new ManPage(root.getCommandSpec()).render());
        root.getSubcommands().forEach((name, command) -> {
            if (!name.equals("help")) {
                pages.put(root.getCommandName() + "-" + name, new ManPage(command.getCommandSpec()).render());
            }
        });
        return pages;
    }
}
