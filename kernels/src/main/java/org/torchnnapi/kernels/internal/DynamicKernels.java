package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.FloatRecurrent.Cell;
import org.torchnnapi.kernels.internal.portable.PortableDynamicKernels;

/**
 * The kernels of dynamically quantized layers: native where {@link Providers} found the native library, else portable.
 * Callers checked the arguments.
 */
public interface DynamicKernels {
    /** Name of the native provider, which may not load. */
    String NATIVE = "org.torchnnapi.kernels.internal.natives.NativeDynamicKernels";

    /** The least and the greatest of some floats and of zero. */
    void range(float[] in, int inOffset, int count, float[] out, int outOffset);

    DynamicProductKernel product(DynamicSpec spec);

    /**
     * A step of a cell of {@code units} from the gates' sums over its input and over its output before.
     *
     * @param states the output before, from {@code stateOffset} on, replaced by this step's
     * @param cellOffset where an LSTM's cell state lies in the same array
     */
    void gates(
            Cell cell,
            int units,
            float[] ofInput,
            int inputOffset,
            float[] ofHidden,
            int hiddenOffset,
            float[] states,
            int stateOffset,
            int cellOffset);

    /** Decides on first use. */
    static DynamicKernels chosen() {
        return Holder.CHOSEN;
    }

    /** Delays the choice. */
    final class Holder {
        private static final DynamicKernels CHOSEN =
                Providers.nativeOr(DynamicKernels.class, NATIVE, PortableDynamicKernels::new);

        private Holder() {}
    }
}
