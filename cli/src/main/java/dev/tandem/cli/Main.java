package dev.tandem.cli;

/** Where the process begins and ends. */
public final class Main {
    private Main() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        Interruption interruption = new Interruption();
        interruption.listen();
        Context context = new Context(Console.ofProcess(), interruption, Installation.ofProcess());
        int exitCode = new Tandem(context).run(args);
        interruption.finish();
        System.exit(exitCode);
    }
}
