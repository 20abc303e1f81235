package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.internal.portable.PortableRecurrent;

/** The kernels of recurrent layers: native where {@link Providers} found the native library, else portable. */
public interface RecurrentProvider {
    /** Name of the native provider, which may not load. */
    String NATIVE = "org.torchnnapi.kernels.internal.natives.NativeRecurrent$Provider";

    RecurrentKernel plan(RecurrentSpec spec);

    /** Decides on first use. */
    static RecurrentProvider chosen() {
        return Holder.CHOSEN;
    }

    /** Delays the choice. */
    final class Holder {
        private static final RecurrentProvider CHOSEN =
                Providers.nativeOr(RecurrentProvider.class, NATIVE, () -> PortableRecurrent::new);

        private Holder() {}
    }
}
