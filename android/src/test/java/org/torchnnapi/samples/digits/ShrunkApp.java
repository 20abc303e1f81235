package org.torchnnapi.samples.digits;

import java.util.Arrays;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.Tensor;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;

/**
 * Runs without Android what the library finds by name, for module {@code phone}: what R8 leaves of it must say the same
 * as the whole.
 */
public final class ShrunkApp {
    private ShrunkApp() {}

    /** Prints the kernels, the devices, and each model's scores of one picture. */
    public static void main(String[] models) {
        Kernels.describe().forEach(System.out::println);
        for (Device device : Devices.installed().all()) {
            System.out.println(device.name() + " " + device.featureLevel());
        }
        float[] picture = new float[3 * 32 * 32];
        for (int i = 0; i < picture.length; i++) {
            picture[i] = i % 17 / 8f - 1;
        }
        for (String model : models) {
            Module module = Module.load(model);
            Tensor scores = module.forward(IValue.from(Tensor.fromBlob(picture, new long[] {1, 3, 32, 32})))
                    .toTensor();
            System.out.println(model + ": " + Arrays.toString(scores.getDataAsFloatArray()));
            module.destroy();
        }
    }
}
