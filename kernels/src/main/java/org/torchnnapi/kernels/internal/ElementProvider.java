package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.internal.portable.PortableByteKernels;
import org.torchnnapi.kernels.internal.portable.PortableElementKernels;
import org.torchnnapi.kernels.internal.portable.PortableImageKernels;

/** The kernels that are neither convolutions nor products, by the provider that {@link Providers} chose for the float ones. */
public record ElementProvider(ElementKernels elements, ImageKernels images, ByteKernels bytes) {
    private static final String VECTOR_ELEMENTS = "org.torchnnapi.kernels.internal.vector.VectorElementKernels";
    private static final String VECTOR_IMAGES = "org.torchnnapi.kernels.internal.vector.VectorImageKernels";

    /** Decides on first use. */
    public static ElementProvider chosen() {
        return Holder.CHOSEN;
    }

    private static ElementProvider choose() {
        if (Providers.chosen().blocked()) {
            try {
                return new ElementProvider((ElementKernels) Providers.load(VECTOR_ELEMENTS), (ImageKernels) Providers.load(VECTOR_IMAGES),
                    new PortableByteKernels());
            } catch (ReflectiveOperationException | LinkageError e) {
                return portable();
            }
        }
        return portable();
    }

    private static ElementProvider portable() {
        return new ElementProvider(new PortableElementKernels(), new PortableImageKernels(), new PortableByteKernels());
    }

    private static final class Holder {
        static final ElementProvider CHOSEN = choose();
    }
}
