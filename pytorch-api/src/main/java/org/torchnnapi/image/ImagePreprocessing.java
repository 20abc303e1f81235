package org.torchnnapi.image;

import java.util.Arrays;
import java.util.Map;
import org.pytorch.Tensor;

/**
 * What is done to a picture before a model takes it, in this order: resize, letterbox, crop, and each value times a
 * scale, less a mean, divided by a deviation. Immutable, safe for use by several threads.
 *
 * <p>Resizing and cropping give the bytes that Pillow 9 and torchvision 0.14 give, the floats are theirs within 1e-6.
 */
public final class ImagePreprocessing {
    /** The order of a result's dimensions. */
    public enum Layout {
        /** [1, 3, height, width]. */
        NCHW,
        /** [1, height, width, 3]. */
        NHWC,
        /** [3, height, width]. */
        CHW,
        /** [height, width, 3]. */
        HWC
    }

    private static final float[] IMAGENET_MEAN = {0.485f, 0.456f, 0.406f};
    private static final float[] IMAGENET_STD = {0.229f, 0.224f, 0.225f};
    private static final int COLOURS = RgbImage.COLOURS;
    private static final double BYTE_RANGE = 255;

    // What PreprocessorConfig writes; none changes once an object is made.
    Size resize = Size.NONE;
    Size letterbox = Size.NONE;
    Size crop = Size.NONE;
    int fill;
    boolean roundsDown;
    Interpolation interpolation = Interpolation.BILINEAR;
    double scale = 1 / BYTE_RANGE;
    float[] mean = {0, 0, 0};
    float[] std = {1, 1, 1};
    boolean bgr;
    Layout layout = Layout.NCHW;

    /** Height and width in pixels; 0 where there is none, and a width of 0 for a shorter side alone. */
    static final class Size {
        static final Size NONE = new Size(0, 0);
        /** What a crop of that share of it needs. */
        static final Size COVERING = new Size(-1, 0);

        final int height;
        final int width;

        Size(int height, int width) {
            this.height = height;
            this.width = width;
        }

        static Size of(String what, int height, int width) {
            if (height < 1 || width < 1) {
                throw new IllegalArgumentException(what + ": " + height + " x " + width + " (expected: >= 1 each way)");
            }
            return new Size(height, width);
        }

        boolean isNone() {
            return height == 0;
        }

        @Override
        public String toString() {
            return isNone() ? "none" : width == 0 ? "shorter side " + height : height + " x " + width;
        }
    }

    private ImagePreprocessing() {}

    private ImagePreprocessing(ImagePreprocessing other) {
        resize = other.resize;
        letterbox = other.letterbox;
        crop = other.crop;
        fill = other.fill;
        roundsDown = other.roundsDown;
        interpolation = other.interpolation;
        scale = other.scale;
        mean = other.mean;
        std = other.std;
        bgr = other.bgr;
        layout = other.layout;
    }

    /** Nothing but values from 0 to 1 in [1, 3, height, width]: torchvision's {@code ToTensor}. */
    public static ImagePreprocessing none() {
        return new ImagePreprocessing();
    }

    /**
     * As torchvision's presets of classification: the shorter side becomes 256 for each 224 of the crop, the middle is
     * cut out, and the values are normalised by ImageNet's mean and deviation. Of a crop that is not square both sides
     * are covered so.
     *
     * @param height of the crop, in pixels
     * @param width of the crop, in pixels
     */
    public static ImagePreprocessing imageNet(int height, int width) {
        ImagePreprocessing result =
                none().withCrop(height, width).withMean(IMAGENET_MEAN).withStd(IMAGENET_STD);
        result.resize = height == width ? new Size(height * 256 / 224, 0) : Size.COVERING;
        return result;
    }

    /**
     * As Hugging Face's {@code preprocessor_config.json} says, or {@link #toConfig} has written.
     *
     * @param config the file's content as maps, lists, numbers, strings and booleans, by whatever JSON reader there is
     * @throws IllegalArgumentException if it says something that this class does not do, such as a size by
     *     {@code longest_edge} or padding
     */
    public static ImagePreprocessing ofConfig(Map<String, ?> config) {
        return PreprocessorConfig.read(config);
    }

    /**
     * What {@link #ofConfig} reads as this again: the content of a {@code preprocessor_config.json} as maps, lists,
     * numbers, strings and booleans. Hugging Face's names where they have one; {@code letterbox}, {@code layout},
     * {@code bgr} and {@code crop_rounding} are this class's own.
     */
    public Map<String, Object> toConfig() {
        return PreprocessorConfig.write(this);
    }

    /** The shorter side becomes that long, the longer one as much longer as it was, truncated. */
    public ImagePreprocessing withShorterSide(int pixels) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.resize = new Size(Size.of("shorter side", pixels, pixels).height, 0);
        return result;
    }

    /** Both sides become that long, whatever their ratio was. */
    public ImagePreprocessing withResize(int height, int width) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.resize = Size.of("resize", height, width);
        return result;
    }

    /** Not resized. */
    public ImagePreprocessing withoutResize() {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.resize = Size.NONE;
        return result;
    }

    /** Not cropped. */
    public ImagePreprocessing withoutCrop() {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.crop = Size.NONE;
        return result;
    }

    /** The middle is cut out; what is smaller is framed in black. */
    public ImagePreprocessing withCrop(int height, int width) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.crop = Size.of("crop", height, width);
        return result;
    }

    /**
     * As large as fits there with the ratio that it has, framed to that size, as detectors want.
     *
     * @param grey of the frame, 0 to 255; YOLO's is 114
     */
    public ImagePreprocessing withLetterbox(int height, int width, int grey) {
        if (grey < 0 || grey > BYTE_RANGE) {
            throw new IllegalArgumentException("frame: " + grey + " (expected: 0 to 255)");
        }
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.letterbox = Size.of("letterbox", height, width);
        result.fill = grey;
        return result;
    }

    /**
     * Where a crop has one pixel more on one side: to the left and up, as Hugging Face's processors, not torchvision.
     */
    ImagePreprocessing withCropRoundedDown(boolean rounded) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.roundsDown = rounded;
        return result;
    }

    /** The shorter side becomes as long as {@link #imageNet} has it for the crop. */
    ImagePreprocessing withResizeCoveringCrop() {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.resize = Size.COVERING;
        return result;
    }

    /** Bilinear where it is not said. */
    public ImagePreprocessing withInterpolation(Interpolation how) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.interpolation = how;
        return result;
    }

    /** What each of a pixel's bytes is multiplied by: 1/255 where it is not said. */
    public ImagePreprocessing withScale(double factor) {
        if (Double.isNaN(factor) || Double.isInfinite(factor)) {
            throw new IllegalArgumentException("scale: " + factor + " (expected: a number)");
        }
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.scale = factor;
        return result;
    }

    /** What is taken from the scaled red, green and blue, in this order whatever that of the result is. */
    public ImagePreprocessing withMean(float... means) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.mean = each("mean", means);
        return result;
    }

    /** What the scaled red, green and blue less the mean are divided by. */
    public ImagePreprocessing withStd(float... deviations) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.std = each("std", deviations);
        for (float one : deviations) {
            if (one == 0) {
                throw new IllegalArgumentException(
                        "std: " + Arrays.toString(deviations) + " (expected: numbers other than 0)");
            }
        }
        return result;
    }

    private static float[] each(String what, float[] values) {
        if (values.length != 1 && values.length != COLOURS) {
            throw new IllegalArgumentException(
                    what + ": " + Arrays.toString(values) + " (expected: one number, or three)");
        }
        for (float value : values) {
            if (Float.isNaN(value) || Float.isInfinite(value)) {
                throw new IllegalArgumentException(what + ": " + Arrays.toString(values) + " (expected: numbers)");
            }
        }
        return values.length == 1 ? new float[] {values[0], values[0], values[0]} : values.clone();
    }

    /** Blue, green and red in the place of red, green and blue. */
    public ImagePreprocessing withBgr(boolean reversed) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.bgr = reversed;
        return result;
    }

    public ImagePreprocessing withLayout(Layout order) {
        ImagePreprocessing result = new ImagePreprocessing(this);
        result.layout = order;
        return result;
    }

    /** Resized, framed and cropped, still in bytes. */
    public RgbImage arrange(RgbImage image) {
        RgbImage result = resized(image);
        if (!letterbox.isNone()) {
            result = letterboxed(result);
        }
        return crop.isNone() ? result : cropped(result);
    }

    private RgbImage resized(RgbImage image) {
        if (resize.isNone()) {
            return image;
        }
        if (resize.width > 0) {
            return ImageResize.resize(image, resize.width, resize.height, interpolation);
        }
        int shorter = Math.min(image.width(), image.height());
        int longer = Math.max(image.width(), image.height());
        int side = resize.height > 0 ? resize.height : covering(image, shorter);
        long other = (long) side * longer / shorter;
        if (other > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("image: " + image + " (expected: sides less unlike each other)");
        }
        return image.width() <= image.height()
                ? ImageResize.resize(image, side, (int) other, interpolation)
                : ImageResize.resize(image, (int) other, side, interpolation);
    }

    /** The shorter side with which 256 for each 224 of the crop's pixels are there in both directions. */
    private int covering(RgbImage image, int shorter) {
        double factor = Math.max((double) crop.height / image.height(), (double) crop.width / image.width());
        return (int) Math.ceil(shorter * factor * 256 / 224);
    }

    private RgbImage letterboxed(RgbImage image) {
        double ratio = Math.min((double) letterbox.height / image.height(), (double) letterbox.width / image.width());
        int width = Math.max(1, (int) Math.rint(image.width() * ratio));
        int height = Math.max(1, (int) Math.rint(image.height() * ratio));
        RgbImage small = ImageResize.resize(image, width, height, interpolation);
        int left = (letterbox.width - width) / 2;
        int top = (letterbox.height - height) / 2;
        return small.part(-left, -top, letterbox.width, letterbox.height, fill);
    }

    private RgbImage cropped(RgbImage image) {
        return image.part(
                start(image.width(), crop.width), start(image.height(), crop.height), crop.width, crop.height);
    }

    /** Halves are rounded to even numbers, as Python does; what is framed has the smaller half before it. */
    private int start(int size, int wanted) {
        if (wanted > size || roundsDown) {
            return wanted > size ? -((wanted - size) / 2) : (size - wanted) / 2;
        }
        return (int) Math.rint((size - wanted) / 2.0);
    }

    /**
     * The input that a model takes for a picture: {@link #arrange}, then {@link #values}, float32 in the shape of the
     * layout.
     */
    public Tensor tensor(RgbImage image) {
        RgbImage arranged = arrange(image);
        return Tensor.fromBlob(values(arranged), shape(arranged));
    }

    /** A picture's values as they are, scaled and normalised, in the order of the layout. */
    public float[] values(RgbImage arranged) {
        byte[] pixels = arranged.pixels();
        int count = pixels.length / COLOURS;
        float[][] byByte = new float[COLOURS][];
        for (int c = 0; c < COLOURS; c++) {
            byByte[c] = valuesOfBytes(c);
        }
        boolean planes = layout == Layout.NCHW || layout == Layout.CHW;
        float[] values = new float[pixels.length];
        for (int c = 0; c < COLOURS; c++) {
            int to = bgr ? COLOURS - 1 - c : c;
            for (int i = 0; i < count; i++) {
                values[planes ? to * count + i : COLOURS * i + to] = byByte[c][pixels[COLOURS * i + c] & 0xFF];
            }
        }
        return values;
    }

    private float[] valuesOfBytes(int colour) {
        float[] values = new float[256];
        for (int i = 0; i < values.length; i++) {
            float scaled = scale == 1 / BYTE_RANGE ? i / (float) BYTE_RANGE : (float) (i * scale);
            values[i] = (scaled - mean[colour]) / std[colour];
        }
        return values;
    }

    private long[] shape(RgbImage arranged) {
        int height = arranged.height();
        int width = arranged.width();
        switch (layout) {
            case NHWC:
                return new long[] {1, height, width, COLOURS};
            case CHW:
                return new long[] {COLOURS, height, width};
            case HWC:
                return new long[] {height, width, COLOURS};
            default:
                return new long[] {1, COLOURS, height, width};
        }
    }

    @Override
    public String toString() {
        return "resize " + (resize.height < 0 ? "to cover the crop" : resize) + ", letterbox " + letterbox + ", crop "
                + crop + ", " + interpolation + ", scale " + scale + ", mean " + Arrays.toString(mean) + ", std "
                + Arrays.toString(std) + ", " + (bgr ? "BGR" : "RGB") + ", " + layout;
    }
}
