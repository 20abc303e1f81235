/*
 * Whether what system.c calls gets the arguments that NNAPI's functions have, each by its width, on the processor that
 * this was compiled for. Prints what did not arrive, and ends with 1.
 */
#define SOURCES_VERSION 0x0123456789abcdef
#include "../../main/c/system.c"

#include <stdio.h>
#include <stddef.h>
#include <string.h>

static int failures;

#define TRUE(condition) ((condition) ? 0 : (failures++, printf("line %d: %s\n", __LINE__, #condition)))

/* The system's linker as far as system.c asks it. */
void *dlopen(const char *name, int flags) {
    return !strcmp(name, "library") && flags == 2 ? &failures : NULL;
}
void *dlsym(void *library, const char *name) {
    return library == &failures && !strcmp(name, "function") ? (void *) 0x80000010u : NULL;
}
char *dlerror(void) {
    return "reason";
}

/* NNAPI's functions by what they take. */
static const void *const H = &failures;

static int no_arguments(void) {
    return -7;
}
static int created(const void *model, const void *const *devices, uint32_t count, void **made) {
    TRUE(model == H && devices[0] == H && count == 1);
    *made = (void *) 0x80000020u;
    return 0;
}
static int operand(void *model, int32_t index, const void *bytes, size_t length) {
    TRUE(model == H && index == -3 && bytes == H && length == 5);
    return 4;
}
static int from_memory(
        void *execution, int32_t index, const void *type, const void *memory, size_t offset, size_t length) {
    TRUE(execution == H && index == 2 && !type && memory == H && offset == 0x7fffffff && length == 9);
    return 0;
}
static int from_descriptor(size_t size, int protect, int fd, size_t offset, void **made) {
    TRUE(size == 64 && protect == 3 && fd == 17 && offset == 4096);
    *made = NULL;
    return 3;
}
static int attribute(void *handle, const char *name, uint16_t code, const void *data, size_t length) {
    TRUE(handle == H && !strcmp(name, "name") && code == 0xfffe && data == H && length == 1);
    return 0;
}
static int flag(void *execution, _Bool measure) {
    TRUE(execution == H && measure);
    return 0;
}
static int role(void *description, const void *compilation, uint32_t index, float frequency) {
    TRUE(description == H && compilation == H && index == 1 && frequency == 0.375f);
    return 5;
}
static int timeout(void *execution, uint64_t nanos) {
    TRUE(execution == H && nanos == 0xfedcba9876543210);
    return 6;
}
static int after(void *execution, const void *const *events, uint32_t count, uint64_t nanos, void **event) {
    TRUE(execution == H && events[0] == H && count == 2 && nanos == 0x0123456789abcdef);
    *event = (void *) 0x80000030u;
    return 0;
}

static void *buffer_address(environment env, object buffer) {
    return env && buffer == H ? (void *) 0x80000040u : NULL;
}
static object buffer_at(environment env, void *address, int64_t size) {
    TRUE(env && address == H && size == 0x123456789);
    return &failures;
}

#define NAME(name) Java_org_torchnnapi_driver_android_NativeCalls_##name
#define OF(pointer) ((int64_t) (uintptr_t) (pointer))

int main(void) {
    void *table[231] = {0};
    table[229] = (void *) buffer_at;
    table[230] = (void *) buffer_address;
    void *const *functions = table;
    environment env = &functions;
    const void *list[] = {H};
    void *place = NULL;

    TRUE(NAME(wordBytes)(env, NULL) == sizeof(void *));
    TRUE(NAME(version)(env, NULL) == SOURCES_VERSION);
    TRUE(NAME(open)(env, NULL, OF("library")) == OF(H));
    TRUE(!strcmp((const char *) (uintptr_t) NAME(failure)(env, NULL), "reason"));
    /* Addresses of the upper half are no negative numbers. */
    TRUE(NAME(find)(env, NULL, OF(H), OF("function")) == 0x80000010);
    TRUE(NAME(find)(env, NULL, OF(H), OF("another")) == 0);
    TRUE(NAME(length)(env, NULL, OF("four")) == 4);
    TRUE(NAME(address)(env, NULL, (object) H) == 0x80000040);
    TRUE(NAME(buffer)(env, NULL, OF(H), 0x123456789) == &failures);

    TRUE((int) NAME(call)(env, NULL, OF(no_arguments), 0, 0, 0, 0, 0, 0) == -7);
    TRUE((int) NAME(call)(env, NULL, OF(created), OF(H), OF(list), 1, OF(&place), 0, 0) == 0
            && place == (void *) 0x80000020u);
    TRUE((int) NAME(call)(env, NULL, OF(operand), OF(H), -3, OF(H), 5, 0, 0) == 4);
    TRUE((int) NAME(call)(env, NULL, OF(from_memory), OF(H), 2, 0, OF(H), 0x7fffffff, 9) == 0);
    TRUE((int) NAME(call)(env, NULL, OF(from_descriptor), 64, 3, 17, 4096, OF(&place), 0) == 3 && !place);
    TRUE((int) NAME(call)(env, NULL, OF(attribute), OF(H), OF("name"), 0xfffe, OF(H), 1, 0) == 0);
    TRUE((int) NAME(call)(env, NULL, OF(flag), OF(H), 1, 0, 0, 0, 0) == 0);
    TRUE((int) NAME(callWithFloat)(env, NULL, OF(role), OF(H), OF(H), 1, 0.375f) == 5);
    TRUE((int) NAME(callWithDuration)(env, NULL, OF(timeout), OF(H), (int64_t) 0xfedcba9876543210) == 6);
    TRUE((int) NAME(callAfterEvents)(env, NULL, OF(after), OF(H), OF(list), 2, 0x0123456789abcdef, OF(&place)) == 0
            && place == (void *) 0x80000030u);
    return failures > 0;
}
