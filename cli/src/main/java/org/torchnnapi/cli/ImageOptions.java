package org.torchnnapi.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.Images;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.Interpolation;
import picocli.CommandLine.Option;

/**
 * How pictures become inputs. What is not said is as torchvision's presets of classification do it, or as a
 * {@code preprocessor_config.json} says that the model's file has as an extra file.
 */
final class ImageOptions {
    private static final String CONFIG = "preprocessor_config.json";
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,3})(?:[xX]([1-9][0-9]{0,3}))?");
    private static final int YOLO_GREY = 114;
    private static final int DEFAULT_SIZE = 224;
    /** Files of this kind have some hundred. */
    private static final int MOST_CONFIG_BYTES = 1 << 16;

    @Option(
            names = "--image-size",
            paramLabel = "HxW",
            description = "Size pictures are cut to, after their shorter side became 256 for each 224 of it. "
                    + "Default: 224x224.")
    private String imageSize;

    @Option(
            names = "--preprocessor",
            paramLabel = "FILE",
            description = "Prepare pictures as this preprocessor_config.json of Hugging Face says. Default: what the "
                    + "model's own extra file of that name says, if it has one.")
    private Path config;

    @Option(
            names = "--resize",
            paramLabel = "SIZE",
            description = "Length of a picture's shorter side, height and width such as 640x480, or none.")
    private String resize;

    @Option(names = "--crop", paramLabel = "HxW", description = "Middle that is cut out of a picture, or none.")
    private String crop;

    @Option(
            names = "--letterbox",
            paramLabel = "HxW[,GREY]",
            description = "Fit pictures into that size with the ratio that they have, and frame them. Default of the "
                    + "grey: 114.")
    private String letterbox;

    @Option(
            names = "--interpolation",
            paramLabel = "NAME",
            description = "nearest, bilinear, bicubic, lanczos, box or hamming, as Pillow's. Default: bilinear.")
    private String interpolation;

    @Option(
            names = "--scale",
            paramLabel = "NUMBER",
            description = "What a pixel's bytes are multiplied by. Default: 1/255.")
    private String scale;

    @Option(
            names = "--mean",
            paramLabel = "R,G,B",
            split = ",",
            description = "What is taken from the scaled colors. Default: ImageNet's 0.485,0.456,0.406; 0 where "
                    + "--scale or --std is given.")
    private float[] mean;

    @Option(
            names = "--std",
            paramLabel = "R,G,B",
            split = ",",
            description = "What they are then divided by. Default: ImageNet's 0.229,0.224,0.225; 1 where --scale or "
                    + "--mean is given.")
    private float[] std;

    @Option(names = "--bgr", description = "Blue, green and red in the place of red, green and blue.")
    private boolean bgr;

    @Option(
            names = "--layout",
            paramLabel = "NAME",
            description = "nchw, nhwc, chw or hwc: the order of a picture's dimensions. Default: nchw.")
    private String layout;

    @Option(names = "--upright", description = "Turn pictures as the camera was held (EXIF). Default: as stored.")
    private boolean upright;

    private Images images;
    private boolean isSizeAssumed;

    /** @param extraFiles the model's */
    Images images(Map<String, ByteBuffer> extraFiles) throws IOException {
        try {
            images = new Images(preprocessing(extraFiles), upright);
            return images;
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /**
     * The extra file that says what these options state, so that who runs the written file need not say it again; none
     * where they state nothing.
     *
     * @param extraFiles the model's
     */
    Map<String, ByteBuffer> stated(Map<String, ByteBuffer> extraFiles) throws IOException {
        boolean stated = Stream.of(config, imageSize, resize, crop, letterbox, interpolation, scale, mean, std, layout)
                .anyMatch(Objects::nonNull);
        if (!stated && !bgr) {
            return Map.of();
        }
        try {
            byte[] bytes = new ObjectMapper()
                    .writerWithDefaultPrettyPrinter()
                    .writeValueAsBytes(preprocessing(extraFiles).toConfig());
            return Map.of(CONFIG, ByteBuffer.wrap(bytes));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** What a model that fails may want otherwise: pictures were read, and nobody said their size. Else null. */
    String assumption() {
        return isSizeAssumed && images != null && images.wereRead()
                ? "pictures: cut to " + DEFAULT_SIZE + "x" + DEFAULT_SIZE
                        + ", as nothing says their size (expected: the "
                        + "model's, by --image-size HxW or --resize HxW)"
                : null;
    }

    private ImagePreprocessing preprocessing(Map<String, ByteBuffer> extraFiles) throws IOException {
        ImagePreprocessing result = base(extraFiles);
        result = resize == null ? result : resized(result);
        if (letterbox != null) {
            String[] words = letterbox.split(",", 2);
            int[] size = size("letterbox", words[0]);
            result = result.withLetterbox(
                    size[0], size[1], words.length < 2 ? YOLO_GREY : (int) number("letterbox", words[1]));
        }
        if (crop != null) {
            int[] size = isNone(crop) ? null : size("crop", crop);
            result = size == null ? result.withoutCrop() : result.withCrop(size[0], size[1]);
        }
        result = interpolation == null
                ? result
                : result.withInterpolation(one(Interpolation.class, "interpolation", interpolation));
        result = scale == null ? result : result.withScale(number("scale", scale));
        result = mean == null ? result : result.withMean(mean);
        result = std == null ? result : result.withStd(std);
        result = layout == null ? result : result.withLayout(one(ImagePreprocessing.Layout.class, "layout", layout));
        return bgr ? result.withBgr(true) : result;
    }

    /** What the other options change. */
    private ImagePreprocessing base(Map<String, ByteBuffer> extraFiles) throws IOException {
        if (config != null && imageSize != null) {
            throw new CommandFailure("image size: beside --preprocessor (expected: one of them; --resize and --crop "
                    + "change what the file says)");
        }
        if (config != null) {
            if (Files.size(config) > MOST_CONFIG_BYTES) {
                throw new CommandFailure("preprocessor: " + config + " has " + Files.size(config)
                        + " bytes (expected: at most " + MOST_CONFIG_BYTES + ")");
            }
            return stated(config.toString(), Files.readAllBytes(config));
        }
        ByteBuffer own = extraFiles.get(CONFIG);
        if (own != null && imageSize == null) {
            byte[] bytes = new byte[Math.min(own.remaining(), MOST_CONFIG_BYTES)];
            own.duplicate().get(bytes);
            return stated("the model's extra file " + CONFIG, bytes);
        }
        int[] size = crop != null && !isNone(crop)
                ? size("crop", crop)
                : imageSize == null ? new int[] {DEFAULT_SIZE, DEFAULT_SIZE} : size("image size", imageSize);
        isSizeAssumed = imageSize == null && crop == null && resize == null && letterbox == null;
        ImagePreprocessing preset = ImagePreprocessing.imageNet(size[0], size[1]);
        if (resize != null || letterbox != null) {
            preset = preset.withoutResize().withoutCrop();
        }
        return scale == null && mean == null && std == null
                ? preset
                : preset.withMean(0).withStd(1);
    }

    @SuppressWarnings("unchecked")
    private static ImagePreprocessing stated(String name, byte[] json) {
        try {
            Object content = new ObjectMapper().readValue(json, Object.class);
            if (content instanceof Map) {
                return ImagePreprocessing.ofConfig((Map<String, ?>) content);
            }
            throw new CommandFailure("preprocessor: " + name + " (expected: an object in JSON)");
        } catch (IOException e) {
            throw new CommandFailure("preprocessor: " + name + " (expected: an object in JSON)", e);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(name + ": " + e.getMessage(), e);
        }
    }

    private ImagePreprocessing resized(ImagePreprocessing given) {
        if (isNone(resize)) {
            return given.withoutResize();
        }
        int[] size = size("resize", resize);
        return resize.toLowerCase(Locale.ROOT).indexOf('x') < 0
                ? given.withShorterSide(size[0])
                : given.withResize(size[0], size[1]);
    }

    private static boolean isNone(String word) {
        return word.equals("none");
    }

    private static int[] size(String what, String word) {
        Matcher size = SIZE.matcher(word);
        if (!size.matches()) {
            throw new CommandFailure(
                    what + ": " + word + " (expected: height and width from 1 to 9999, such as 224x224)");
        }
        int height = Integer.parseInt(size.group(1));
        return new int[] {height, size.group(2) == null ? height : Integer.parseInt(size.group(2))};
    }

    /** A fraction, such as 1/255, or a number. */
    private static double number(String what, String word) {
        try {
            String[] parts = word.split("/", 2);
            double number = Double.parseDouble(parts[0]);
            return parts.length == 1 ? number : number / Double.parseDouble(parts[1]);
        } catch (NumberFormatException e) {
            throw new CommandFailure(what + ": " + word + " (expected: a number, or two such as 1/255)", e);
        }
    }

    private static <E extends Enum<E>> E one(Class<E> type, String what, String word) {
        for (E one : type.getEnumConstants()) {
            if (one.name().toLowerCase(Locale.ROOT).equals(word)) {
                return one;
            }
        }
        throw new CommandFailure(what + ": " + word + " (expected: one of "
                + Arrays.toString(type.getEnumConstants()).toLowerCase(Locale.ROOT) + ")");
    }
}
