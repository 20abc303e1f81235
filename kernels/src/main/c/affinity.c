/* Which processors a thread runs on. */
#include "export.h"
#include "system_call.h"

/*
 * Lets the calling thread, and those that it starts from then on, run on these processors alone: bit i of byte j stands
 * for processor 8 j + i. 0, or what Linux refuses it with, below 0; elsewhere -1.
 */
EXPORT int32_t tnn_keep_to(const uint8_t *processors, int32_t bytes) {
#if defined(HAVE_SYSTEM_CALLS)
    return (int32_t) ask(SCHED_SETAFFINITY, 0, bytes, (int64_t) (uintptr_t) processors, 0, 0, 0);
#else
    (void) processors, (void) bytes;
    return -1;
#endif
}
