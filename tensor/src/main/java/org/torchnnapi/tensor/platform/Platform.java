package org.torchnnapi.tensor.platform;

/** Where this code runs. */
public final class Platform {
    /** Whether this is Android's runtime, whose library is not that of a JDK. */
    public static final boolean ANDROID = isAndroid(System.getProperty("java.vm.name"));

    /** The kind of this processor, as folders of native libraries have it. */
    public static final String PROCESSOR = processor(System.getProperty("os.arch"));

    private Platform() {}

    static boolean isAndroid(String virtualMachine) {
        return "Dalvik".equals(virtualMachine);
    }

    /** One name for what systems call by several, some of them with the processor's version. */
    static String processor(String name) {
        return switch (name) {
            case "amd64", "x86_64" -> "x86_64";
            case "arm64", "aarch64" -> "aarch64";
            default -> name.startsWith("arm") ? "arm" : name.matches("i[3-6]86") ? "x86" : name;
        };
    }
}
