/* The devices, asked for once. Their handles are pointers to entries of a table that lasts as long as the process. */
#ifndef TORCH_NNAPI_DEVICES_H
#define TORCH_NNAPI_DEVICES_H

#include "values.h"

/* Whether a null is among devices: told without a virtual machine, as every null is. */
bool null_among(const ANeuralNetworksDevice *const *devices, uint32_t count);

/*
 * The positions of devices as Java has them; null with the code that fits: BAD_DATA for one that is none, or twice
 * there, or for none at all.
 */
jintArray device_positions(JNIEnv *env, const ANeuralNetworksDevice *const *devices, uint32_t count, int *code);

#endif
