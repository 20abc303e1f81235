package org.torchnnapi.kernels.internal;

import java.util.List;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;

/**
 * The choice of providers.
 *
 * @param blocked whether the float kernels are fastest in the blocked layout
 * @param lines for people: what was chosen, why, and what to type for a better choice
 */
public record Providers(FloatKernels floats, QuantizedKernels quantized, boolean blocked, List<String> lines) {

    /** Decides on first use. */
    public static Providers chosen() {
        return Holder.CHOSEN;
    }

    private static Providers choose() {
        return new Providers(new PortableFloatKernels(), new PortableQuantizedKernels(), false,
            List.of("float kernels: portable", "int8 kernels: portable"));
    }

    private static final class Holder {
        static final Providers CHOSEN = choose();
    }
}
