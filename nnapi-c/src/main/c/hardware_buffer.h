/*
 * Android's hardware buffers, where the process has the functions for them: those of libnativewindow, found by name.
 * Their numbers and the layout of the description are those of the NDK
 * (https://developer.android.com/ndk/reference/group/a-hardware-buffer).
 */
#ifndef TORCH_NNAPI_HARDWARE_BUFFER_H
#define TORCH_NNAPI_HARDWARE_BUFFER_H

#include "include/NeuralNetworks.h"

/*
 * Takes a reference to a buffer and, where it is plain bytes, locks it for reading and writing.
 *
 * address: its bytes, null where its layout is one that only devices know; size: how many. Returns a code.
 */
int hardware_buffer_acquire(AHardwareBuffer *buffer, void **address, uint64_t *size);

/* Unlocks the buffer and gives the reference back. */
void hardware_buffer_release(AHardwareBuffer *buffer);

#endif
