/*
 * Memory in large pages, which Linux gives to whoever asks. Weights are read from beginning to end once an inference:
 * in small pages a processor looks up a page for every 64 lines, and cannot fetch ahead over its end.
 */
#include "export.h"

#define PAGE (2 << 20)

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__) || defined(__arm__))
#if defined(__x86_64__)
enum { MMAP = 9, MUNMAP = 11, MADVISE = 28 };

static int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
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
enum { MMAP = 192, MUNMAP = 91, MADVISE = 220 };

static int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
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
enum { MMAP = 222, MUNMAP = 215, MADVISE = 233 };

static int64_t ask(int64_t call, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) {
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

#define PROTECTION 3 /* PROT_READ | PROT_WRITE */
#define KIND 0x22 /* MAP_PRIVATE | MAP_ANONYMOUS */
#define HUGE_PAGES 14 /* MADV_HUGEPAGE */
#define NOT_NEEDED 4 /* MADV_DONTNEED */
/* No system has larger ordinary ones. */
#define SMALL_PAGE (64 << 10)

EXPORT int64_t tnn_map_pages(int64_t size) {
    int64_t start = ask(MMAP, 0, size + PAGE, PROTECTION, KIND, -1, 0);
    if (start < 0 && start > -4096) {
        return 0;
    }
    int64_t address = (start + PAGE - 1) / PAGE * PAGE;
    if (address > start) {
        ask(MUNMAP, start, address - start, 0, 0, 0, 0);
    }
    int64_t behind = start + PAGE - address;
    if (behind > 0) {
        ask(MUNMAP, address + size, behind, 0, 0, 0, 0);
    }
    /* Where that is refused, the memory serves as it is. */
    ask(MADVISE, address, size, HUGE_PAGES, 0, 0, 0);
    return address;
}

EXPORT void tnn_unmap_pages(int64_t address, int64_t size) {
    ask(MUNMAP, address, size, 0, 0, 0, 0);
}

/* Of a file that is mapped for reading, as other memory would be lost. */
EXPORT void tnn_release_pages(int64_t address, int64_t size) {
    int64_t first = (address + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
    int64_t end = (address + size) / SMALL_PAGE * SMALL_PAGE;
    if (first < end) {
        ask(MADVISE, first, end - first, NOT_NEEDED, 0, 0, 0);
    }
}

#else

EXPORT int64_t tnn_map_pages(int64_t size) {
    (void) size;
    return 0;
}

EXPORT void tnn_unmap_pages(int64_t address, int64_t size) {
    (void) address, (void) size;
}

EXPORT void tnn_release_pages(int64_t address, int64_t size) {
    (void) address, (void) size;
}

#endif
