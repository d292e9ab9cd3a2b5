package dev.tandem.gpu.ffm;

/** Functions of a GPU driver in neutral names; a {@link DriverTable} has a vendor's names for them. */
public enum DriverFunction {
    /** (flags). */
    INIT,
    /** (int* version). */
    DRIVER_VERSION,
    /** (int* count). */
    DEVICE_COUNT,
    /** (device* out, int ordinal). */
    DEVICE,
    /** (char* name, int length, device). */
    DEVICE_NAME,
    /** (size_t* bytes, device). */
    DEVICE_MEMORY,
    /** (int* value, int attribute, device). */
    DEVICE_ATTRIBUTE,
    /** (context* out, device). */
    CONTEXT_RETAIN,
    /** (device). */
    CONTEXT_RELEASE,
    /** (context or ordinal, as the table says): what the calling thread uses from now on. */
    CONTEXT_USE,
    /** (size_t* free, size_t* total). */
    MEMORY_INFO,
    /** (module* out, image). */
    MODULE_LOAD,
    /** (module). */
    MODULE_UNLOAD,
    /** (function* out, module, char* name). */
    MODULE_FUNCTION,
    /** (pointer* out, size_t bytes). */
    ALLOCATE,
    /** (pointer). */
    FREE,
    /** (void** out, size_t bytes, flags). */
    ALLOCATE_HOST,
    /** (void*). */
    FREE_HOST,
    /** (device target, host source, size_t bytes, stream). */
    COPY_TO_DEVICE,
    /** (host target, device source, size_t bytes, stream). */
    COPY_TO_HOST,
    /** (device target, device source, size_t bytes, stream). */
    COPY_ON_DEVICE,
    /** (stream* out, flags). */
    STREAM_CREATE,
    /** (stream). */
    STREAM_DESTROY,
    /** (stream). */
    STREAM_SYNCHRONIZE,
    /** (function, grid x y z, block x y z, int shared bytes, stream, void** arguments, extra). */
    LAUNCH,
    /** (int code, char** name), or (int code) with the name as result, as the table says. */
    ERROR_NAME,
    /** (stream, int mode). */
    CAPTURE_BEGIN,
    /** (stream, graph* out). */
    CAPTURE_END,
    /** (executable* out, graph, flags). */
    GRAPH_INSTANTIATE,
    /** (executable, stream). */
    GRAPH_LAUNCH,
    /** (executable). */
    GRAPH_EXECUTABLE_DESTROY,
    /** (graph). */
    GRAPH_DESTROY
}
