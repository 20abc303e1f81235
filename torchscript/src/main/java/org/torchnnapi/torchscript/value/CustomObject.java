package org.torchnnapi.torchscript.value;

/** An instance of a {@link CustomClass}. */
public record CustomObject(CustomClass type, Object payload) {
    @Override
    public boolean equals(Object other) {
        return other instanceof CustomObject o && o.payload == payload;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(payload);
    }
}
