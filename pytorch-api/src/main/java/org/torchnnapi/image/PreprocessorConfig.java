package org.torchnnapi.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * What Hugging Face's {@code preprocessor_config.json} says, for the processors of classification that resize, crop,
 * scale and normalise. What it says beyond that is refused, not left out.
 */
final class PreprocessorConfig {
    /** Nothing that concerns a picture alone, or read where it matters. */
    private static final Set<String> KNOWN = new HashSet<>(Arrays.asList(
            "bgr",
            "crop_pct",
            "crop_rounding",
            "crop_size",
            "default_to_square",
            "do_center_crop",
            "do_convert_rgb",
            "do_normalize",
            "do_rescale",
            "do_resize",
            "feature_extractor_type",
            "image_mean",
            "image_processor_type",
            "image_std",
            "layout",
            "letterbox",
            "processor_class",
            "resample",
            "rescale_factor",
            "size"));

    private static final int LARGE_CONVNEXT = 384;
    private static final double DEFAULT_CROP_SHARE = 224 / 256.0;
    /** As torchvision rounds where a crop begins; Hugging Face's processors round down. */
    private static final String HALF_EVEN = "half_even";

    private final Map<String, ?> config;
    private final String type;

    private PreprocessorConfig(Map<String, ?> config) {
        this.config = config;
        Object named = config.get("image_processor_type");
        Object older = named == null ? config.get("feature_extractor_type") : named;
        type = older == null ? "" : older.toString();
    }

    static ImagePreprocessing read(Map<String, ?> config) {
        return new PreprocessorConfig(config).read();
    }

    private ImagePreprocessing read() {
        for (Map.Entry<String, ?> entry : config.entrySet()) {
            // A switch that is off, or nothing, changes nothing.
            boolean off = entry.getValue() == null || Boolean.FALSE.equals(entry.getValue());
            if (!KNOWN.contains(entry.getKey()) && !off && !entry.getKey().startsWith("_")) {
                throw new IllegalArgumentException("preprocessor: " + entry.getKey() + " is " + entry.getValue()
                        + " (expected: one that resizes, crops, rescales and normalises; state it by options)");
            }
        }
        ImagePreprocessing result = ImagePreprocessing.none().withCropRoundedDown(!isHalfEven());
        boolean letterboxed = config.get("letterbox") != null;
        if (letterboxed || isOn("do_resize", true)) {
            result = result.withInterpolation(Interpolation.of(integer("resample", defaultFilter())));
        }
        if (isOn("do_resize", true)) {
            result = resized(result);
        }
        if (letterboxed) {
            result = letterboxed(result);
        }
        if (isOn("do_center_crop", false)) {
            int[] crop = sides("crop_size");
            result = result.withCrop(crop[0], crop[1]);
        }
        if (!isOn("do_rescale", true)) {
            result = result.withScale(1);
        } else if (config.get("rescale_factor") != null) {
            result = result.withScale(number("rescale_factor", config.get("rescale_factor")));
        }
        if (config.get("layout") != null) {
            result = result.withLayout(layout(config.get("layout")));
        }
        result = result.withBgr(isOn("bgr", false));
        return isOn("do_normalize", config.get("image_mean") != null)
                ? result.withMean(numbers("image_mean")).withStd(numbers("image_std"))
                : result;
    }

    private boolean isHalfEven() {
        Object rounding = config.get("crop_rounding");
        if (rounding != null && !rounding.equals(HALF_EVEN)) {
            throw new IllegalArgumentException(
                    "preprocessor: crop_rounding is " + rounding + " (expected: " + HALF_EVEN + ", or nothing)");
        }
        return rounding != null;
    }

    private ImagePreprocessing letterboxed(ImagePreprocessing given) {
        int[] sides = sides("letterbox");
        Object value = config.get("letterbox");
        Object grey = value instanceof Map ? ((Map<?, ?>) value).get("grey") : null;
        return given.withLetterbox(sides[0], sides[1], whole("letterbox", grey));
    }

    private static ImagePreprocessing.Layout layout(Object name) {
        for (ImagePreprocessing.Layout one : ImagePreprocessing.Layout.values()) {
            if (word(one).equals(name)) {
                return one;
            }
        }
        throw new IllegalArgumentException("preprocessor: layout is " + name + " (expected: nchw, nhwc, chw or hwc)");
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** What {@link #read} reads as the same again. */
    static Map<String, Object> write(ImagePreprocessing given) {
        Map<String, Object> config = new LinkedHashMap<>();
        config.put("do_resize", !given.resize.isNone());
        if (!given.resize.isNone()) {
            config.put("size", size(given.resize));
        }
        config.put("resample", given.interpolation.number());
        if (!given.letterbox.isNone()) {
            Map<String, Object> letterbox = size(given.letterbox);
            letterbox.put("grey", given.fill);
            config.put("letterbox", letterbox);
        }
        config.put("do_center_crop", !given.crop.isNone());
        if (!given.crop.isNone()) {
            config.put("crop_size", size(given.crop));
            if (!given.roundsDown) {
                config.put("crop_rounding", HALF_EVEN);
            }
        }
        config.put("do_rescale", true);
        config.put("rescale_factor", given.scale);
        config.put("do_normalize", true);
        config.put("image_mean", list(given.mean));
        config.put("image_std", list(given.std));
        config.put("layout", word(given.layout));
        config.put("bgr", given.bgr);
        return config;
    }

    private static Map<String, Object> size(ImagePreprocessing.Size size) {
        Map<String, Object> sides = new LinkedHashMap<>();
        if (size == ImagePreprocessing.Size.COVERING) {
            sides.put("crop_pct", DEFAULT_CROP_SHARE);
        } else if (size.width == 0) {
            sides.put("shortest_edge", size.height);
        } else {
            sides.put("height", size.height);
            sides.put("width", size.width);
        }
        return sides;
    }

    private static List<Float> list(float[] values) {
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return list;
    }

    private int defaultFilter() {
        return isConvNext() || type.startsWith("CLIP") ? 3 : 2;
    }

    private boolean isConvNext() {
        return type.startsWith("ConvNext");
    }

    private ImagePreprocessing resized(ImagePreprocessing given) {
        Object size = config.get("size");
        if (size == null) {
            throw new IllegalArgumentException("preprocessor: no size (expected: size, or do_resize false)");
        }
        if (size instanceof Map && ((Map<?, ?>) size).containsKey("crop_pct")) {
            return covering((Map<?, ?>) size, given);
        }
        boolean exact = !(size instanceof Map) ? isSquare() : ((Map<?, ?>) size).containsKey("height");
        if (exact) {
            int[] sides = sides("size");
            return given.withResize(sides[0], sides[1]);
        }
        int shorter = size instanceof Map ? shortest((Map<?, ?>) size) : integer("size", 0);
        if (!isConvNext()) {
            return given.withShorterSide(shorter);
        }
        if (shorter >= LARGE_CONVNEXT) {
            return given.withResize(shorter, shorter);
        }
        Object share = config.get("crop_pct");
        double cropShare = share == null ? DEFAULT_CROP_SHARE : number("crop_pct", share);
        return given.withShorterSide((int) (shorter / cropShare)).withCrop(shorter, shorter);
    }

    private static ImagePreprocessing covering(Map<?, ?> size, ImagePreprocessing given) {
        if (size.size() != 1 || number("crop_pct", size.get("crop_pct")) != DEFAULT_CROP_SHARE) {
            throw new IllegalArgumentException(
                    "preprocessor: size is " + size + " (expected: of crop_pct " + DEFAULT_CROP_SHARE + " alone)");
        }
        return given.withResizeCoveringCrop();
    }

    /** Where a size is one number, whether it is that of both sides; files of before sizes had names. */
    private boolean isSquare() {
        for (String shortest :
                Arrays.asList("CLIP", "ConvNext", "LeViT", "Levit", "PoolFormer", "ResNet", "MobileNet")) {
            if (type.startsWith(shortest)) {
                return false;
            }
        }
        return isOn("default_to_square", !isOn("do_center_crop", false));
    }

    private static int shortest(Map<?, ?> size) {
        if (size.size() != 1 || !size.containsKey("shortest_edge")) {
            throw new IllegalArgumentException(
                    "preprocessor: size is " + size + " (expected: height and width, or shortest_edge alone)");
        }
        return whole("shortest_edge", size.get("shortest_edge"));
    }

    private int[] sides(String name) {
        Object value = config.get(name);
        if (value instanceof Map) {
            Map<?, ?> map = (Map<?, ?>) value;
            return new int[] {whole(name, map.get("height")), whole(name, map.get("width"))};
        }
        int side = whole(name, value);
        return new int[] {side, side};
    }

    private boolean isOn(String name, boolean otherwise) {
        Object value = config.get(name);
        if (value != null && !(value instanceof Boolean)) {
            throw new IllegalArgumentException("preprocessor: " + name + " is " + value + " (expected: true or false)");
        }
        return value == null ? otherwise : (Boolean) value;
    }

    private int integer(String name, int otherwise) {
        Object value = config.get(name);
        return value == null ? otherwise : whole(name, value);
    }

    private static int whole(String name, Object value) {
        double number = number(name, value);
        if (number != (int) number) {
            throw new IllegalArgumentException(
                    "preprocessor: " + name + " is " + value + " (expected: a whole number)");
        }
        return (int) number;
    }

    private static double number(String name, Object value) {
        if (!(value instanceof Number)) {
            throw new IllegalArgumentException("preprocessor: " + name + " is " + value + " (expected: a number)");
        }
        return ((Number) value).doubleValue();
    }

    private float[] numbers(String name) {
        Object value = config.get(name);
        if (!(value instanceof List)) {
            throw new IllegalArgumentException(
                    "preprocessor: " + name + " is " + value + " (expected: a list of numbers)");
        }
        List<?> list = (List<?>) value;
        float[] numbers = new float[list.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) number(name, list.get(i));
        }
        return numbers;
    }
}
