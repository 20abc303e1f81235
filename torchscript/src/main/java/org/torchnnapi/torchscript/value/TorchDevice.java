package org.torchnnapi.torchscript.value;

/** A {@code torch.device}; index -1 means none was given. */
public record TorchDevice(String type, int index) {
    public static final TorchDevice CPU = new TorchDevice("cpu", -1);

    /** Reads {@code cpu}, {@code cuda:0} and the like. */
    public static TorchDevice parse(String text) {
        int colon = text.indexOf(':');
        if (colon < 0) {
            return new TorchDevice(text, -1);
        }
        try {
            return new TorchDevice(text.substring(0, colon), Integer.parseInt(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "device: " + text + " (expected: a type such as cpu, with an optional :index)", e);
        }
    }

    @Override
    public String toString() {
        return index < 0 ? type : type + ":" + index;
    }
}
