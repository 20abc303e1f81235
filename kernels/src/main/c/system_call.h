/* Calls of Linux' kernel, without a library between: HAVE_SYSTEM_CALLS where there are any. */
#ifndef SYSTEM_CALL_H
#define SYSTEM_CALL_H

#include <stdint.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__arm__))
#define HAVE_SYSTEM_CALLS

#if defined(__x86_64__)
enum { MMAP = 9, MUNMAP = 11, MADVISE = 28, SCHED_SETAFFINITY = 203 };

static inline int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
    register int64_t fourth __asm__("r10") = d;
    register int64_t fifth __asm__("r8") = e;
    register int64_t sixth __asm__("r9") = f;
    int64_t result;
    __asm__ volatile("syscall"
            : "=a"(result)
            : "a"(call), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
            : "rcx", "r11", "memory");
    return result;
}
#elif defined(__arm__)
/* Its mmap counts offsets in pages. */
enum { MMAP = 192, MUNMAP = 91, MADVISE = 220, SCHED_SETAFFINITY = 241 };

static inline int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
    register uint32_t number __asm__("r7") = (uint32_t) call;
    register uint32_t first __asm__("r0") = (uint32_t) a;
    register uint32_t second __asm__("r1") = (uint32_t) b;
    register uint32_t third __asm__("r2") = (uint32_t) c;
    register uint32_t fourth __asm__("r3") = (uint32_t) d;
    register uint32_t fifth __asm__("r4") = (uint32_t) e;
    register uint32_t sixth __asm__("r5") = (uint32_t) f;
    __asm__ volatile("svc 0"
            : "+r"(first)
            : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
            : "memory");
    /* The highest numbers are errors, and others addresses. */
    return first > -4096u ? (int32_t) first : (int64_t) first;
}
#else
enum { MMAP = 222, MUNMAP = 215, MADVISE = 233, SCHED_SETAFFINITY = 122 };

static inline int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
    register int64_t number __asm__("x8") = call;
    register int64_t first __asm__("x0") = a;
    register int64_t second __asm__("x1") = b;
    register int64_t third __asm__("x2") = c;
    register int64_t fourth __asm__("x3") = d;
    register int64_t fifth __asm__("x4") = e;
    register int64_t sixth __asm__("x5") = f;
    __asm__ volatile("svc 0"
            : "+r"(first)
            : "r"(number), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
            : "memory");
    return first;
}
#endif

#endif
#endif
