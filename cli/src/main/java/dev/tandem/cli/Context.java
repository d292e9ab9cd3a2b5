package dev.tandem.cli;

/**
 * What every command needs from outside.
 *
 * @param console the standard streams
 * @param interruption the user's wish to stop
 * @param installation where this program lies
 */
record Context(Console console, Interruption interruption, Installation installation) {}
