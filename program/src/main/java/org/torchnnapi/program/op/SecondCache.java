package org.torchnnapi.program.op;

/** What operations over tiles ask about the cache that a tile is to stay in. */
final class SecondCache {
    private SecondCache() {}

    /** Bytes of a core's own second cache, or what most processors have of it. */
    static int bytes() {
        return 512 * 1024;
    }
}
