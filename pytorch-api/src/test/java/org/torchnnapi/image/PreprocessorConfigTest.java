package org.torchnnapi.image;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PreprocessorConfigTest {
    private static final List<Double> HALF = List.of(0.5, 0.5, 0.5);

    private static String said(Map<String, ?> config) {
        return ImagePreprocessing.ofConfig(config).toString();
    }

    @Test
    void visionTransformer() {
        assertEquals(
                "resize 224 x 224, letterbox none, crop none, BILINEAR, scale 0.00392156862745098,"
                        + " mean [0.5, 0.5, 0.5], std [0.5, 0.5, 0.5], RGB, NCHW",
                said(Map.of(
                        "image_processor_type",
                        "ViTImageProcessor",
                        "do_resize",
                        true,
                        "size",
                        Map.of("height", 224, "width", 224),
                        "resample",
                        2,
                        "do_rescale",
                        true,
                        "rescale_factor",
                        0.00392156862745098,
                        "do_normalize",
                        true,
                        "image_mean",
                        HALF,
                        "image_std",
                        HALF)));
    }

    @Test
    void olderFilesHaveOneNumber() {
        Map<String, Object> config = new HashMap<>(Map.of(
                "feature_extractor_type",
                "ViTFeatureExtractor",
                "size",
                384,
                "image_mean",
                HALF,
                "image_std",
                HALF,
                "resample",
                3));
        assertTrue(said(config).startsWith("resize 384 x 384, letterbox none, crop none, BICUBIC"), said(config));
        config.put("feature_extractor_type", "CLIPFeatureExtractor");
        config.put("do_center_crop", true);
        config.put("crop_size", 224);
        assertTrue(said(config).startsWith("resize shorter side 384, letterbox none, crop 224 x 224, BICUBIC"));
    }

    @Test
    void convNextCutsAShareBelow384() {
        Map<String, Object> config = new HashMap<>(Map.of(
                "image_processor_type",
                "ConvNextImageProcessor",
                "size",
                Map.of("shortest_edge", 224),
                "crop_pct",
                0.875,
                "resample",
                3));
        assertTrue(said(config).startsWith("resize shorter side 256, letterbox none, crop 224 x 224, BICUBIC"));
        config.put("size", Map.of("shortest_edge", 384));
        assertTrue(said(config).startsWith("resize 384 x 384, letterbox none, crop none"));
    }

    /** What would be another picture is an error. */
    @Test
    void whatIsNotDoneIsRefused() {
        Map<String, Object> config = new HashMap<>(Map.of("size", Map.of("shortest_edge", 800, "longest_edge", 1333)));
        assertTrue(assertThrows(IllegalArgumentException.class, () -> said(config))
                .getMessage()
                .endsWith("(expected: height and width, or shortest_edge alone)"));
        config.put("size", 224);
        config.put("do_pad", true);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> said(config))
                .getMessage()
                .startsWith("preprocessor: do_pad is true (expected: "));
        config.put("do_pad", false);
        said(config);
        config.put("size", "large");
        assertEquals(
                "preprocessor: size is large (expected: a number)",
                assertThrows(IllegalArgumentException.class, () -> said(config)).getMessage());
        assertEquals(
                "preprocessor: do_resize is 1 (expected: true or false)",
                assertThrows(IllegalArgumentException.class, () -> said(Map.of("do_resize", 1)))
                        .getMessage());
    }

    /** What is written is read as the same, whatever is stated. */
    @Test
    void writtenAndReadAgain() {
        ImagePreprocessing none = ImagePreprocessing.none();
        List<ImagePreprocessing> stated = List.of(
                none,
                ImagePreprocessing.imageNet(224, 224),
                ImagePreprocessing.imageNet(160, 224),
                none.withShorterSide(40).withCrop(32, 30).withInterpolation(Interpolation.BICUBIC),
                none.withResize(48, 64).withScale(1 / 127.5).withMean(1).withStd(0.5f, 2, 3),
                none.withLetterbox(64, 96, 114).withInterpolation(Interpolation.NEAREST),
                none.withScale(1).withBgr(true).withLayout(ImagePreprocessing.Layout.HWC),
                ImagePreprocessing.ofConfig(Map.of("size", 64, "do_center_crop", true, "crop_size", 33)));
        byte[] pixels = new byte[3 * 51 * 37];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (i * i / 7);
        }
        RgbImage image = new RgbImage(51, 37, pixels);
        for (ImagePreprocessing one : stated) {
            ImagePreprocessing again = ImagePreprocessing.ofConfig(one.toConfig());
            assertEquals(one.toString(), again.toString());
            assertArrayEquals(one.tensor(image).shape(), again.tensor(image).shape(), one.toString());
            assertArrayEquals(
                    one.tensor(image).getDataAsFloatArray(), again.tensor(image).getDataAsFloatArray(), one.toString());
        }
    }

    @Test
    void refusesOwnKeysOfOtherValues() {
        assertEquals(
                "preprocessor: layout is rgb (expected: nchw, nhwc, chw or hwc)",
                assertThrows(IllegalArgumentException.class, () -> said(Map.of("do_resize", false, "layout", "rgb")))
                        .getMessage());
        assertEquals(
                "preprocessor: crop_rounding is up (expected: half_even, or nothing)",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> said(Map.of("do_resize", false, "crop_rounding", "up")))
                        .getMessage());
        assertEquals(
                "preprocessor: size is {crop_pct=0.5} (expected: of crop_pct 0.875 alone)",
                assertThrows(IllegalArgumentException.class, () -> said(Map.of("size", Map.of("crop_pct", 0.5))))
                        .getMessage());
    }
}
