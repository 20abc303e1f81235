package org.torchnnapi.samples.digits;

import android.content.res.AssetManager;
import android.graphics.Bitmap;
import org.pytorch.IValue;
import org.pytorch.Module;
import org.pytorch.PyTorchAndroid;
import org.pytorch.Tensor;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.RgbImage;

/** A model that tells handwritten digits: white on black, any size. */
final class Digits {
    private static final int SIZE = 32;
    /** Values from -1 to 1. */
    private static final ImagePreprocessing PREPROCESSING =
            ImagePreprocessing.none().withResize(SIZE, SIZE).withMean(0.5f).withStd(0.5f);

    private final Module module;

    Digits(AssetManager assets, String model) {
        module = PyTorchAndroid.loadModuleFromAsset(assets, model);
    }

    int digit(Bitmap picture) {
        int width = picture.getWidth();
        int height = picture.getHeight();
        int[] pixels = new int[width * height];
        picture.getPixels(pixels, 0, width, 0, 0, width, height);
        Tensor input = PREPROCESSING.tensor(RgbImage.ofArgb(width, height, pixels));
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
