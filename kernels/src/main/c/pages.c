/*
 * Memory in large pages, which Linux gives to whoever asks. Weights are read from beginning to end once an inference:
 * in small pages a processor looks up a page for every 64 lines, and cannot fetch ahead over its end.
 */
#include "export.h"
#include "system_call.h"

#define PAGE (2 << 20)

#if defined(HAVE_SYSTEM_CALLS)
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
