/* What other libraries and Java see of this one. */
#ifndef TORCHNNAPI_EXPORT_H
#define TORCHNNAPI_EXPORT_H

#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#endif
