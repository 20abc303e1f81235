package org.torchnnapi.tensor.platform;

/** Where this code runs. */
public final class Platform {
    /** Whether this is Android's runtime, whose library is not that of a JDK. */
    public static final boolean ANDROID = isAndroid(System.getProperty("java.vm.name"));

    private Platform() {}

    static boolean isAndroid(String virtualMachine) {
        return "Dalvik".equals(virtualMachine);
    }
}
