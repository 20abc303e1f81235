package org.torchnnapi.tensor.platform;

/** What a loop does that waits for another thread. */
public final class Spinning {
    private Spinning() {}

    /** Tells the processor so, where Java has a word for it. */
    public static void pause() {
        if (!Platform.ANDROID) {
            JdkCalls.pause();
        }
    }
}
