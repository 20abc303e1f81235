package org.torchnnapi.tensor.platform;

/**
 * The variables of the process's environment. A process that has more rights than its user, as the C library finds out,
 * is not to be led by them: system property {@value #PROPERTY} is {@code ignored} there.
 */
public final class Environment {
    static final String PROPERTY = "torchnnapi.environment";

    private Environment() {}

    /** A variable's value, or null if it is not set or the environment is ignored. */
    public static String get(String name) {
        return "ignored".equals(System.getProperty(PROPERTY)) ? null : System.getenv(name);
    }
}
