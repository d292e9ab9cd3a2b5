package dev.tandem.gpu.device;

/** Statuses of a driver that decide what happens next; the numbers are the same for both vendors. */
final class Status {
    static final int OUT_OF_MEMORY = 2;

    private static final int INVALID_IMAGE = 200;
    private static final int NO_BINARY_FOR_DEVICE = 209;
    private static final int INVALID_PTX = 218;
    private static final int UNSUPPORTED_PTX = 222;

    private Status() {}

    /** Whether another image of the same kernels may still load. */
    static boolean imageUnsuitable(int status) {
        return switch (status) {
            case INVALID_IMAGE, NO_BINARY_FOR_DEVICE, INVALID_PTX, UNSUPPORTED_PTX -> true;
            default -> false;
        };
    }
}
