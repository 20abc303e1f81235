package org.torchnnapi.fuzz;

/** What Jazzer calls, for the door that system property {@value #DOOR} names. */
public final class FuzzTarget {
    /** A name of {@link Door}, in lower case. */
    public static final String DOOR = "torchnnapi.fuzz.door";

    private static final Door CHOSEN = Door.of(System.getProperty(DOOR, "archive"));

    private FuzzTarget() {}

    /** Before the first input, whose time is limited. @throws Throwable what is a finding */
    public static void fuzzerInitialize() throws Throwable {
        CHOSEN.prepare();
    }

    /** @throws Throwable what is a finding */
    public static void fuzzerTestOneInput(byte[] input) throws Throwable {
        CHOSEN.enter(input);
    }
}
