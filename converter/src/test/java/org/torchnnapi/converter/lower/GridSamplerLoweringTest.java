package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class GridSamplerLoweringTest {
    /** A map of 8 by 8 pixels, two of the image's each. */
    private static final Tensor MAP = FreeUnderTest.random(1, 4, 8, 8);

    private static final String ALIGN = "ops.torchvision.roi_align(_0, %s, 0.5, 3, 3, 2, False)";
    private static final String SMOOTH = "_0 = torch.sigmoid(torch.conv2d(x, CONSTANTS.c0))";
    /** Sixteen rows of four numbers between 0 and 1. */
    private static final String PLACES = "_1 = torch.view(torch.slice(_0, 1, 0, 1, 1), [16, 4])";

    private static final Tensor WEIGHTS = FreeUnderTest.random(4, 4, 1, 1);
    /** NNAPI costs nothing, so that all goes there that can. */
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));

    private static final Tensor IMAGES = Tensor.of(new float[16], 16, 1);

    private static Tensor regions(float... corners) {
        return Tensor.of(corners, corners.length / 5, 5);
    }

    /** Requires that the regions are not NNAPI's, that all else is, and that the results are right. */
    private static void requireKept(List<Tensor> constants, String... body) {
        ScriptModule original = FreeUnderTest.module(constants, "Tensor", body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(MAP)).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(
                List.of("torchvision::roi_align"),
                conversion.refusals().stream().map(refusal -> refusal.node()).toList());
        assertTrue(
                conversion.report().text().contains("regions that lie in the feature map"),
                conversion.report().text());
        FreeUnderTest.compare(original, conversion, MAP);
        FreeUnderTest.compare(original, conversion, FreeUnderTest.random(1, 4, 8, 8));
    }

    private static Tensor scaled(float factor) {
        return scaledBy(MAP, factor);
    }

    @Test
    void regionsInTheMapAreNnapis() {
        assertTrue(FreeUnderTest.whole(
                        MAP,
                        List.of(WEIGHTS, regions(0, 0, 0, 16, 16, 0, 2.5f, 3, 9, 14.5f, 0, 14, 14, 16, 16)),
                        SMOOTH,
                        String.format(ALIGN, "CONSTANTS.c1"))
                .contains("ROI_ALIGN"));
    }

    @Test
    void regionsThatReachBeyondTheMapStay() {
        for (Tensor outside : List.of(
                regions(0, -3, 2, 8, 8),
                regions(0, 2, -0.1f, 8, 8),
                regions(0, 2, 2, 16.5f, 8),
                regions(0, 2, 2, 8, 40),
                regions(0, -40, -40, -20, -20))) {
            requireKept(List.of(WEIGHTS, outside), SMOOTH, String.format(ALIGN, "CONSTANTS.c1"));
        }
    }

    /** Its samples lie beyond the map, as a region has the size of a pixel at least. */
    @Test
    void narrowRegionsAtTheBorderStay() {
        requireKept(List.of(WEIGHTS, regions(0, 15.8f, 4, 16, 8)), SMOOTH, String.format(ALIGN, "CONSTANTS.c1"));
        requireKept(List.of(WEIGHTS, regions(0, 4, 16, 8, 16)), SMOOTH, String.format(ALIGN, "CONSTANTS.c1"));
    }

    @Test
    void computedRegionsThatAreKnownToLieInTheMapAreNnapis() {
        String[][] rows = {
            // Corners and sizes; and corners that may change places.
            {
                "_2 = torch.mul(torch.slice(_1, 1, 0, 2, 1), 8.)",
                "_3 = torch.add(_2, torch.mul(torch.slice(_1, 1, 2, 4, 1), 8.))"
            },
            {"_2 = torch.mul(torch.slice(_1, 1, 0, 2, 1), 14.)", "_3 = torch.mul(torch.slice(_1, 1, 2, 4, 1), 16.)"},
            {
                "_2 = torch.clamp(torch.sub(torch.mul(torch.slice(_1, 1, 0, 2, 1), 100.), 20.), 0, 14)",
                "_3 = torch.clamp_max(torch.mul(torch.slice(_1, 1, 2, 4, 1), 50.), 16)"
            }
        };
        for (String[] corners : rows) {
            String[] body = {
                SMOOTH,
                PLACES,
                corners[0],
                corners[1],
                "_4 = torch.cat([CONSTANTS.c1, _2, _3], 1)",
                String.format(ALIGN, "_4")
            };
            assertTrue(FreeUnderTest.whole(MAP, List.of(WEIGHTS, IMAGES), body).contains("ROI_ALIGN"));
            ScriptModule original = FreeUnderTest.module(List.of(WEIGHTS, IMAGES), "Tensor", body);
            Conversion conversion = FreeUnderTest.convert(original, MAP);
            FreeUnderTest.compare(original, conversion, scaled(-1));
            FreeUnderTest.compare(original, conversion, scaled(50));
        }
    }

    @Test
    void computedRegionsOfWhichThatIsNotKnownStay() {
        for (String corner : List.of(
                "torch.clamp(torch.mul(torch.slice(_1, 1, 0, 2, 1), 100.), 0, 16)",
                "torch.sub(torch.slice(_1, 1, 0, 2, 1), 0.25)",
                "torch.mul(torch.slice(_1, 1, 0, 2, 1), 14.5)")) {
            requireKept(
                    List.of(WEIGHTS, IMAGES),
                    SMOOTH,
                    PLACES,
                    "_2 = " + corner,
                    "_3 = torch.add(torch.mul(torch.slice(_1, 1, 2, 4, 1), 1.), 15.)",
                    "_4 = torch.cat([CONSTANTS.c1, _2, _3], 1)",
                    String.format(ALIGN, "_4"));
        }
        requireKept(
                List.of(WEIGHTS, IMAGES),
                SMOOTH,
                PLACES,
                "_2 = torch.slice(_1, 1, 0, 2, 1)",
                "_3 = torch.add(torch.slice(_1, 1, 2, 4, 1), 15.5)",
                "_4 = torch.cat([CONSTANTS.c1, _2, _3], 1)",
                String.format(ALIGN, "_4"));
        assertFalse(conversionOfRegionsGiven().models().stream()
                .flatMap(model -> model.model().operations().stream())
                .anyMatch(operation -> operation.type().name().equals("ROI_ALIGN")));
    }

    /** Of regions that are arguments, in part beyond the map. */
    private static Conversion conversionOfRegionsGiven() {
        ScriptModule original = FreeUnderTest.module(
                List.of(WEIGHTS, IMAGES),
                "Tensor",
                SMOOTH,
                "_1 = torch.view(torch.slice(x, 1, 0, 1, 1), [16, 4])",
                "_2 = torch.cat([CONSTANTS.c1, torch.mul(_1, 10.)], 1)",
                String.format(ALIGN, "_2"));
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(MAP)).withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(original, conversion, MAP);
        return conversion;
    }

    @Test
    void imagesAndVolumesAreSampled() {
        Tensor far = scaledBy(FreeUnderTest.random(2, 5, 4, 2), 2);
        Tensor deep = scaledBy(FreeUnderTest.random(2, 3, 2, 4, 3), 2);
        for (int mode = 0; mode < 2; mode++) {
            for (int padding = 0; padding < 3; padding++) {
                for (String corners : new String[] {"True", "False"}) {
                    String how = ", " + mode + ", " + padding + ", " + corners + ")";
                    FreeUnderTest.whole(
                            FreeUnderTest.random(2, 3, 5, 4), List.of(far), "torch.grid_sampler(x, CONSTANTS.c0" + how);
                    FreeUnderTest.whole(
                            FreeUnderTest.random(2, 3, 4, 3, 5),
                            List.of(deep),
                            "torch.grid_sampler(x, CONSTANTS.c0" + how);
                }
            }
        }
    }

    /**
     * Places and weights are computed once for each side of each axis, and only what may lie beyond the border is
     * looked at for that.
     */
    @Test
    void cornersShareWhatTheirSidesNeed() {
        Tensor far = scaledBy(FreeUnderTest.random(2, 5, 4, 2), 2);
        List<String> zeros = FreeUnderTest.whole(
                FreeUnderTest.random(2, 3, 5, 4),
                List.of(far),
                "torch.grid_sampler(x, torch.mul(CONSTANTS.c0, torch.mean(x)), 0, 0, False)");
        assertEquals(4, Collections.frequency(zeros, "MINIMUM"));
        assertEquals(4, Collections.frequency(zeros, "GATHER"));
        List<String> border = FreeUnderTest.whole(
                FreeUnderTest.random(2, 3, 5, 4),
                List.of(far),
                "torch.grid_sampler(x, torch.mul(CONSTANTS.c0, torch.mean(x)), 0, 1, False)");
        assertTrue(border.size() < zeros.size() - 10, zeros.size() + " and " + border.size());
    }

    private static Tensor scaledBy(Tensor tensor, float factor) {
        float[] values = tensor.toFloatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] *= factor;
        }
        return Tensor.of(values, tensor.sizes());
    }
}
