package org.torchnnapi.nnapi.driver;

/** How important a compilation's executions are to the application. */
public enum Priority {
    LOW(90),
    MEDIUM(100),
    HIGH(110);

    private final int code;

    Priority(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
