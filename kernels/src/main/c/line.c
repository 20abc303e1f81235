/* Where arrays of the Java heap lie. */
#include "call.h"

KERNEL(bytes_into_line) {
    *call->bytes = (int32_t) ((uintptr_t) call->array & (uintptr_t) (call->line - 1));
}
