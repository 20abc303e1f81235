package org.torchnnapi.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;

/** What Jazzer calls, for the door that system property {@value #DOOR} names. */
public final class FuzzTarget {
    /** A name of {@link Door}, in lower case. */
    public static final String DOOR = "torchnnapi.fuzz.door";

    private static final Door CHOSEN = Door.of(System.getProperty(DOOR, "archive"));

    static {
        try {
            CHOSEN.prepare();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private FuzzTarget() {
    }

    /** @throws Throwable what is a finding */
    public static void fuzzerTestOneInput(byte[] input) throws Throwable {
        CHOSEN.enter(input);
    }
}
