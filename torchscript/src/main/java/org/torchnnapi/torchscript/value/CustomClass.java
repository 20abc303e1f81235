package org.torchnnapi.torchscript.value;

/**
 * A class implemented in Java that TorchScript sees under {@code __torch__.torch.classes}, such as
 * {@code quantized.Conv2dPackedParamsBase} or {@code _nnapi.Compilation}.
 */
public interface CustomClass {
    /** For example {@code __torch__.torch.classes._nnapi.Compilation}. */
    String qualifiedName();

    /** A new object before its {@code __init__} ran. */
    Object create();

    /**
     * Runs a method, {@code __init__} included.
     *
     * @param self what {@link #create} or {@link #setState} returned
     * @return the result; null is None
     * @throws IllegalArgumentException if there is no such method or the arguments do not fit
     */
    Object call(Object self, String method, Object[] arguments);

    /**
     * Whether a method may write to one of its arguments, or to what is in it.
     *
     * @param argument counted without the object
     */
    default boolean mayWriteTo(String method, int argument) {
        return true;
    }

    /**
     * Whether the object, or anything else that lasts, may refer to the memory of an argument, or to what is in it,
     * after a method ended.
     *
     * @param argument counted without the object
     */
    default boolean mayKeep(String method, int argument) {
        return true;
    }

    /** The value {@code __getstate__} gives, for writing an archive. */
    Object getState(Object self);

    /** The object for a pickled state. */
    Object setState(Object state);
}
