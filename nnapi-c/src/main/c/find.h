/* Where things are: the library itself, its jars, and a Java virtual machine. */
#ifndef TORCH_NNAPI_FIND_H
#define TORCH_NNAPI_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* The oldest Java whose virtual machine runs the jars. */
enum { OLDEST_JAVA = 17 };

/* The folder of the jars, beside the library; false with a line about it where there is none. */
bool find_jars(char *folder, size_t size);

/* All jars of a folder, parted by colons; null for want of memory. To be freed. */
char *find_class_path(const char *folder);

/*
 * Shows every Java home worth a try to a function, until it says true: that of JAVA_HOME, the one that the library was
 * built with, and that on the path. In a process of more rights than its user has, only the second, as the environment
 * is the user's.
 */
bool find_java(const char *jars, bool (*use)(const char *home, void *context), void *context);

/* The virtual machine's library in a Java home of a recent enough release; false if there is none. */
bool find_virtual_machine(const char *home, char *file, size_t size);

#endif
