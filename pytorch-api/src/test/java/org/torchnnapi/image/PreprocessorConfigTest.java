package org.torchnnapi.image;

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
}
