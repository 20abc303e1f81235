/* The devices, asked for once. Their handles are pointers to entries of a table that lasts as long as the process. */
#ifndef TORCH_NNAPI_DEVICES_H
#define TORCH_NNAPI_DEVICES_H

#include "values.h"

/*
 * The positions of devices as Java has them; null with the code that fits: UNEXPECTED_NULL for a null among them, BAD_DATA for one that
 * is none, or twice there, or for none at all.
 */
jintArray device_positions(JNIEnv *env, const ANeuralNetworksDevice *const *devices, uint32_t count, int *code);

#endif
