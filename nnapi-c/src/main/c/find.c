#define _GNU_SOURCE
#include "find.h"
#include "jvm.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside the library. */
#define JARS "torch-nnapi"
/* Among the jars: the home of the Java that built the library. */
#define HOME_FILE "java-home"

static bool is_jar(const char *name) {
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".jar") == 0;
}

static bool has_jars(const char *folder) {
    DIR *entries = opendir(folder);
    bool found = false;
    for (struct dirent *entry; entries && !found && (entry = readdir(entries));) {
        found = is_jar(entry->d_name);
    }
    if (entries) {
        closedir(entries);
    }
    return found;
}

bool find_jars(char *folder, size_t size) {
    Dl_info info;
    char library[PATH_MAX];
    /* The library may be reached through links; its jars lie where it really is. */
    if (!dladdr((void *) find_jars, &info) || !realpath(info.dli_fname, library)) {
        jvm_say("cannot tell which folder the library lies in");
        return false;
    }
    *strrchr(library, '/') = 0;
    if ((size_t) snprintf(folder, size, "%s/" JARS, library) >= size) {
        jvm_say("%s: too long a path", library);
        return false;
    }
    if (!has_jars(folder)) {
        jvm_say("no jars in %s (expected: those that ./torch-nnapi clib puts beside the library)", folder);
        return false;
    }
    return true;
}

char *find_class_path(const char *folder) {
    DIR *entries = opendir(folder);
    char *path = NULL;
    size_t length = 0;
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (is_jar(entry->d_name)) {
            size_t more = strlen(folder) + strlen(entry->d_name) + 2;
            char *longer = realloc(path, length + more + 1);
            if (!longer) {
                break;
            }
            path = longer;
            length += (size_t) sprintf(path + length, "%s%s/%s", length ? ":" : "", folder, entry->d_name);
        }
    }
    if (entries) {
        closedir(entries);
    }
    return path;
}

/* The feature release that a Java home's file says; 0 if it does not. */
static int release(const char *home) {
    char name[PATH_MAX], line[256];
    int number = 0;
    if ((size_t) snprintf(name, sizeof name, "%s/release", home) >= sizeof name) {
        return 0;
    }
    FILE *file = fopen(name, "re");
    while (file && number == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "JAVA_VERSION=\"%d", &number) != 1) {
            sscanf(line, "JAVA_VERSION=%d", &number);
        }
    }
    if (file) {
        fclose(file);
    }
    return number;
}

bool find_virtual_machine(const char *home, char *file, size_t size) {
    return release(home) >= OLDEST_JAVA && (size_t) snprintf(file, size, "%s/lib/server/libjvm.so", home) < size
            && access(file, R_OK) == 0;
}

/* The home that `java` on the path belongs to. */
static bool home_on_path(char *home) {
    const char *path = secure_getenv("PATH");
    char candidate[PATH_MAX];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        if (length > 0
                && (size_t) snprintf(candidate, sizeof candidate, "%.*s/java", (int) length, path) < sizeof candidate
                && access(candidate, X_OK) == 0 && realpath(candidate, home)) {
            for (int level = 0; level < 2; level++) {
                char *slash = strrchr(home, '/');
                if (!slash) {
                    return false;
                }
                *slash = 0;
            }
            return true;
        }
        path += length;
        path += *path == ':';
    }
    return false;
}

static bool home_of_build(const char *jars, char *home) {
    char name[PATH_MAX];
    if ((size_t) snprintf(name, sizeof name, "%s/" HOME_FILE, jars) >= sizeof name) {
        return false;
    }
    FILE *file = fopen(name, "re");
    bool found = file && fgets(home, PATH_MAX, file);
    if (file) {
        fclose(file);
    }
    if (found) {
        home[strcspn(home, "\n")] = 0;
    }
    return found;
}

bool find_java(const char *jars, bool (*use)(const char *home, void *context), void *context) {
    char home[PATH_MAX];
    const char *wished = secure_getenv("JAVA_HOME");
    return (wished && *wished && use(wished, context)) || (home_of_build(jars, home) && use(home, context))
            || (home_on_path(home) && use(home, context));
}
