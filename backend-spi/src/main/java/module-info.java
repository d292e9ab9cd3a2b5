/**
 * The contract between the Tandem engine and its plugins.
 *
 * <p>Start at {@link dev.tandem.spi.graph} for what a model looks like to a backend, at {@link dev.tandem.spi.backend}
 * to write a backend, and at {@link dev.tandem.spi.draft} to write a draft strategy. {@link dev.tandem.spi.numeric} is
 * the numeric contract that makes their results comparable as bits.
 */
module dev.tandem.spi {
    requires static transitive org.jspecify;

    exports dev.tandem.spi;
    exports dev.tandem.spi.model;
    exports dev.tandem.spi.numeric;
    exports dev.tandem.spi.graph;
    exports dev.tandem.spi.backend;
    exports dev.tandem.spi.draft;
}
