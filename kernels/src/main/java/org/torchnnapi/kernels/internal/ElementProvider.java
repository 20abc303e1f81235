package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.internal.portable.PortableByteKernels;
import org.torchnnapi.kernels.internal.portable.PortableElementKernels;
import org.torchnnapi.kernels.internal.portable.PortableImageKernels;

/**
 * The choice of the kernels that are neither convolutions nor products.
 *
 * @param line for people: what was chosen
 */
public record ElementProvider(ElementKernels elements, ImageKernels images, ByteKernels bytes, String line) {
    private static final String NATIVE = "org.torchnnapi.kernels.internal.natives.Native";
    private static final String VECTOR = "org.torchnnapi.kernels.internal.vector.Vector";

    /** Decides on first use. */
    public static ElementProvider chosen() {
        return Holder.CHOSEN;
    }

    private static ElementProvider choose() {
        if (Providers.whyNotNative(System.getProperty(Providers.LIMIT, "")) == null) {
            try {
                ElementKernels elements = (ElementKernels) Providers.load(NATIVE + "ElementKernels");
                return new ElementProvider(
                        elements,
                        (ImageKernels) Providers.load(NATIVE + "ImageKernels"),
                        (ByteKernels) Providers.load(NATIVE + "ByteKernels"),
                        line(elements.toString()));
            } catch (ReflectiveOperationException | LinkageError e) {
                // The lines of Providers say why native code does not load.
                return java();
            }
        }
        return java();
    }

    private static ElementProvider java() {
        if (Providers.chosen().blocked()) {
            try {
                return new ElementProvider(
                        (ElementKernels) Providers.load(VECTOR + "ElementKernels"),
                        (ImageKernels) Providers.load(VECTOR + "ImageKernels"),
                        (ByteKernels) Providers.load(VECTOR + "ByteKernels"),
                        line("vector"));
            } catch (ReflectiveOperationException | LinkageError e) {
                return portable();
            }
        }
        return portable();
    }

    private static ElementProvider portable() {
        return new ElementProvider(
                new PortableElementKernels(), new PortableImageKernels(), new PortableByteKernels(), line("portable"));
    }

    private static String line(String what) {
        return "other kernels: " + what;
    }

    private static final class Holder {
        static final ElementProvider CHOSEN = choose();
    }
}
