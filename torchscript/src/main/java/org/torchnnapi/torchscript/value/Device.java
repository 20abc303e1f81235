package org.torchnnapi.torchscript.value;

/** A {@code torch.device}; index -1 means none was given. */
public record Device(String type, int index) {
    public static final Device CPU = new Device("cpu", -1);

    /** Reads {@code cpu}, {@code cuda:0} and the like. */
    public static Device parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new Device(text, -1);
        }
        try {
            return new Device(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("device: " + text + " (expected: a type such as cpu, with an optional :index)", e);
        }
    }

    @Override
    public String toString() {
        return index < 0 ? type : type + ":" + index;
    }
}
