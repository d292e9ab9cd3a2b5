package dev.tandem.spi.model;

/**
 * Names an open model file. Two files may hold equal tensor names, so a weight is known by this and its name.
 *
 * @param serial unique per opened file in this process
 * @param file for messages
 */
public record ModelId(long serial, String file) {}
