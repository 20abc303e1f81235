package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Regions of interest in both layouts and all types against the reference device, bytes to the bit. */
class RegionsOperationLoweringTest {
    private static final float[] CORNERS = {
        0, 0, 24, 18, 3.5f, 2, 11, 2.25f, 20, 17, 24, 18, 1, 1, 1, 1, 5, 3.125f, 20.5f, 16
    };
    private static final int REGIONS = CORNERS.length / 4;

    private static int[] image(boolean channelsFirst, int batch, int height, int width, int channels) {
        return channelsFirst ? new int[] {batch, channels, height, width} : new int[] {batch, height, width, channels};
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void alignedAndPooled(OperandType type) {
        for (int channels : new int[] {1, 6, 40}) {
            for (boolean channelsFirst : new boolean[] {false, true}) {
                Graphs graph = new Graphs(channels, type);
                int x = graph.tensor(image(channelsFirst, 2, 9, 12, channels));
                int regions = graph.coordinates(REGIONS, 4);
                graph.builder.setOperandValue(regions, graph.coordinateData(CORNERS));
                int places = graph.ints(0, 1, 1, 0, 1);
                int three = graph.scalar(3);
                int two = graph.scalar(2);
                int stride = graph.real(2);
                int flag = graph.flag(channelsFirst);
                int[] dims = image(channelsFirst, REGIONS, 3, 2, channels);
                int fixed = graph.apply(
                        OperationType.ROI_ALIGN,
                        dims,
                        x,
                        regions,
                        places,
                        three,
                        two,
                        stride,
                        stride,
                        two,
                        three,
                        flag);
                int adapted = graph.apply(
                        OperationType.ROI_ALIGN,
                        dims,
                        x,
                        regions,
                        places,
                        three,
                        two,
                        stride,
                        stride,
                        graph.scalar(0),
                        graph.scalar(0),
                        flag);
                int pooled = graph.apply(
                        OperationType.ROI_POOLING, dims, x, regions, places, three, two, stride, stride, flag);
                graph.compare(new int[] {x}, fixed, adapted, pooled);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void cornersThatComeAtRunTime(OperandType type) {
        Graphs graph = new Graphs(2, type);
        int x = graph.tensor(2, 9, 12, 3);
        int regions = graph.coordinates(REGIONS, 4);
        int places = graph.ints(0, 1, 1, 0, 1);
        int two = graph.scalar(2);
        int pooled = graph.apply(
                OperationType.ROI_POOLING,
                new int[] {REGIONS, 2, 2, 3},
                x,
                regions,
                places,
                two,
                two,
                graph.real(2),
                graph.real(2),
                graph.flag(false));
        graph.builder.identifyInputsAndOutputs(new int[] {x, regions}, new int[] {pooled});
        Model model = graph.builder.finish();
        ByteBuffer images = graph.data(type, 2 * 9 * 12 * 3);
        try (PreparedModel expected = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT);
                PreparedModel actual = Graphs.prepare(model)) {
            Graphs.compare(model, expected, actual, images, graph.coordinateData(CORNERS));
        }
    }

    @Test
    void manySamplesAreLeftToADeviceThatCanBeStopped() {
        for (int[] samples : new int[][] {{1_000_000, 1_000_000}, {0, Integer.MAX_VALUE}, {256, 256}}) {
            Graphs graph = new Graphs(3, OperandType.TENSOR_FLOAT32);
            int x = graph.tensor(1, 9, 12, 3);
            int regions = graph.coordinates(new float[] {0, 0, 5, 5}, 1, 4);
            int two = graph.scalar(2);
            int aligned = graph.apply(
                    OperationType.ROI_ALIGN,
                    new int[] {1, 2, 2, 3},
                    x,
                    regions,
                    graph.ints(0),
                    two,
                    two,
                    graph.real(1),
                    graph.real(1),
                    graph.scalar(samples[0]),
                    graph.scalar(samples[1]),
                    graph.flag(false));
            graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {aligned});
            long count = Math.max(1L, samples[0]) * samples[1];
            assertEquals(
                    count == 65536 ? List.of() : List.of(DeviceRefusal.of(0, "bin", count + " samples", "<= 65536")),
                    new CpuDriver().refusals(graph.builder.finish()));
        }
    }
}
