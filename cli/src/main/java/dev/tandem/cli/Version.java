package dev.tandem.cli;

import dev.tandem.spi.SpiVersion;

/** What {@code tandem --version} prints. */
final class Version {
    private Version() {}

    /** The version of this build. */
    static String build() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(development build)" : version;
    }

    /** The Java in use, and the system below it. */
    static String java() {
        return Runtime.version() + " (" + System.getProperty("java.vendor") + ", " + System.getProperty("java.vm.name")
                + ")";
    }

    /** The operating system and the processor's architecture. */
    static String system() {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("os.arch");
    }

    /** Build, SPI and Java, a line each. */
    static String text() {
        return "tandem " + build() + "\nSPI " + SpiVersion.CURRENT + "\nJava " + java() + "\n" + system() + "\n";
    }
}
