/* The sources that the library was built from, as SourcesVersion.java tells them: Java refuses a library of others. */
#include <stdint.h>

const volatile int64_t tnn_version = (int64_t) SOURCES_VERSION;
