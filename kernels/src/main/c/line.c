/* Where arrays of the Java heap lie. */
#include "call.h"

/* out[0] (int32) = how many bytes after a line of n bytes, a power of two, a begins. */
KERNEL(bytes_into_line) {
    *(int32_t *) call->out = (int32_t) ((uintptr_t) call->a & (uintptr_t) (call->n - 1));
}
