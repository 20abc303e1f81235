package org.torchnnapi.samples.digits;

import android.content.res.AssetManager;
import android.graphics.Bitmap;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;
import org.pytorch.torchvision.TensorImageUtils;

/** A model that tells handwritten digits: white on black, any size. */
final class Digits {
    private static final int SIZE = 32;
    /** Values from -1 to 1. */
    private static final float[] HALF = {0.5f, 0.5f, 0.5f};

    private final Module module;

    Digits(AssetManager assets, String model) {
        module = PyTorchAndroid.loadModuleFromAsset(assets, model);
    }

    int digit(Bitmap picture) {
        Bitmap scaled = Bitmap.createScaledBitmap(picture, SIZE, SIZE, true);
        Tensor input = TensorImageUtils.bitmapToFloat32Tensor(scaled, HALF, HALF);
        float[] scores = module.forward(IValue.from(input)).toTensor().getDataAsFloatArray();
        int best = 0;
        for (int digit = 1; digit < scores.length; digit++) {
            if (scores[digit] > scores[best]) {
                best = digit;
            }
        }
        return best;
    }
}
