package org.torchnnapi.tensor.platform;

/** Keeps objects from being collected while native code uses what they own. */
public final class Reachability {
    /** Nothing; a compiler cannot know that. */
    private static volatile Object never;

    private Reachability() {}

    /** Whatever comes before this call finds the object reachable still. */
    public static void fence(Object object) {
        if (Platform.ANDROID) {
            hold(object);
        } else {
            JdkCalls.fence(object);
        }
    }

    /**
     * Compares the object with what another thread may have written since, for which its reference must be kept until
     * here.
     */
    static void hold(Object object) {
        if (object != null && never == object) {
            never = null;
        }
    }
}
