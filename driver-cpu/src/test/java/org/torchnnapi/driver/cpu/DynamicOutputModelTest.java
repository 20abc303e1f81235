package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Boxes limited and proposals against the reference device, to the bit: many equal scores, all kernels, alone and
 * between programs.
 */
class DynamicOutputModelTest {
    private static final int BOXES = 60;
    private static final int CLASSES = 5;
    /** Bytes that each output has room for. */
    private static final int ROOM = 1 << 14;

    private static int ints(Graphs graph, int... dims) {
        return graph.builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, dims));
    }

    /**
     * A model of BOX_WITH_NMS_LIMIT with everything at hand, behind which the scores are doubled in a program if that
     * is wanted.
     */
    private static Model limit(OperandType type, int kernel, int most, float least, boolean doubled) {
        Graphs graph = new Graphs(7, type);
        int scores = graph.tensor(BOXES, CLASSES);
        int batches = ints(graph, BOXES);
        int found = graph.tensor(0);
        int[] outputs = {found, graph.coordinates(0, 4), ints(graph, 0), ints(graph, 0)};
        int three = graph.real(0.1f);
        graph.builder.addOperation(
                OperationType.BOX_WITH_NMS_LIMIT,
                new int[] {
                    scores,
                    graph.coordinates(BoxKindsTest.boxes(kernel, BOXES * CLASSES), BOXES, CLASSES * 4),
                    batches,
                    three,
                    graph.scalar(most),
                    graph.scalar(kernel),
                    graph.real(0.3f),
                    graph.real(0.5f),
                    graph.real(least)
                },
                outputs);
        if (doubled) {
            outputs = Arrays.copyOf(outputs, 5);
            outputs[4] = graph.tensor(0);
            graph.builder.addOperation(
                    OperationType.ADD, new int[] {found, found, graph.scalar(0)}, new int[] {outputs[4]});
        }
        graph.builder.identifyInputsAndOutputs(new int[] {scores, batches}, outputs);
        return graph.builder.finish();
    }

    private static ByteBuffer[] limitData(OperandType type) {
        Graphs graph = new Graphs(8, type);
        ByteBuffer batches = graph.data(OperandType.TENSOR_INT32, BOXES);
        for (int i = 0; i < BOXES; i++) {
            batches.putInt(4 * i, i / 25);
        }
        ByteBuffer scores = graph.data(type, BOXES * CLASSES);
        for (int i = 0; i < 40; i++) {
            // Equal ones.
            for (int j = 0; j < type.elementBytes(); j++) {
                scores.put((i * 7 + 3) * type.elementBytes() + j, scores.get((i * 3) * type.elementBytes() + j));
            }
        }
        return new ByteBuffer[] {scores, batches};
    }

    private static void compare(Model model, int[] dims, ByteBuffer... data) {
        try (PreparedModel expected = new ReferenceDriver().prepare(model, PrepareOptions.DEFAULT);
                PreparedModel actual = Graphs.prepare(model)) {
            for (int time = 0; time < 2; time++) {
                byte[][] wanted = new byte[model.outputCount()][ROOM];
                byte[][] found = new byte[model.outputCount()][ROOM];
                ExecutionRequest first = run(model, expected, wanted, dims, data);
                ExecutionRequest second = run(model, actual, found, dims, data);
                for (int i = 0; i < wanted.length; i++) {
                    assertArrayEquals(first.outputDimensions(i), second.outputDimensions(i), "shape of output " + i);
                    assertArrayEquals(wanted[i], found[i], "output " + i + " of " + model.output(i));
                }
            }
        }
    }

    private static ExecutionRequest run(
            Model model, PreparedModel prepared, byte[][] outputs, int[] dims, ByteBuffer... data) {
        ExecutionRequest request = new ExecutionRequest(model);
        for (int i = 0; i < data.length; i++) {
            request.setInput(i, data[i], i == 0 && dims != null ? dims : new int[0]);
        }
        for (int i = 0; i < outputs.length; i++) {
            request.setOutput(i, ByteBuffer.wrap(outputs[i]));
        }
        prepared.execute(request);
        return request;
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void boxesLimited(OperandType type) {
        for (int kernel = 0; kernel < 3; kernel++) {
            for (int most : new int[] {-1, 3, 40}) {
                compare(limit(type, kernel, most, 0.25f, false), null, limitData(type));
                compare(limit(type, kernel, most, 0, false), null, limitData(type));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_QUANT8_ASYMM"})
    void aProgramGoesOnWithWhatIsFound(OperandType type) {
        compare(limit(type, 1, 20, 0.25f, true), null, limitData(type));
    }

    @Test
    void tellsHowLongItWorkedWhereThatIsAsked() {
        Model model = limit(OperandType.TENSOR_FLOAT32, 0, 20, 0.25f, false);
        ByteBuffer[] data = limitData(OperandType.TENSOR_FLOAT32);
        try (PreparedModel prepared = new CpuDriver().prepare(model, PrepareOptions.DEFAULT)) {
            ExecutionRequest request = run(model, prepared, new byte[model.outputCount()][ROOM], null, data);
            assertEquals(-1, request.hardwareNanos());
            request.timed(true);
            for (int i = 0; i < data.length; i++) {
                request.setInput(i, data[i]);
            }
            prepared.execute(request);
            assertTrue(request.hardwareNanos() > 0);
        }
    }

    @Test
    void nothingFound() {
        ByteBuffer[] data = limitData(OperandType.TENSOR_FLOAT32);
        for (int i = 0; i < BOXES * CLASSES; i++) {
            data[0].putFloat(4 * i, -1);
        }
        compare(limit(OperandType.TENSOR_FLOAT32, 0, 20, 0.25f, false), null, data);
    }

    /** @param maps the shape of the score map; with zeros for what an execution tells */
    private static Model proposals(OperandType type, int before, int after, boolean channelsFirst, int[] maps) {
        Graphs graph = new Graphs(9, type);
        int anchors = 3;
        int[] regressions = maps.clone();
        regressions[channelsFirst ? 1 : 3] *= 4;
        int scores = graph.tensor(maps);
        int deltas = graph.tensor(regressions);
        float[] boxes = {-8, -4, 8, 4, -6.5f, -6.5f, 6.5f, 6.5f, -2, -9, 2, 9};
        int placed = graph.builder.addOperand(
                graph.isFloat()
                        ? OperandDescriptor.tensor(type, anchors, 4)
                        : OperandDescriptor.quantized(
                                OperandType.TENSOR_QUANT16_SYMM, Graphs.COORDINATE_SCALE, 0, anchors, 4));
        graph.builder.setOperandValue(placed, graph.coordinateData(boxes));
        int[] outputs = {graph.tensor(0), graph.coordinates(0, 4), ints(graph, 0)};
        int stride = graph.real(4);
        graph.builder.addOperation(
                OperationType.GENERATE_PROPOSALS,
                new int[] {
                    scores,
                    deltas,
                    placed,
                    graph.coordinates(new float[] {40, 44, 36, 40}, 2, 2),
                    stride,
                    stride,
                    graph.scalar(before),
                    graph.scalar(after),
                    graph.real(0.5f),
                    graph.real(1),
                    graph.flag(channelsFirst)
                },
                outputs);
        graph.builder.identifyInputsAndOutputs(new int[] {scores, deltas}, outputs);
        return graph.builder.finish();
    }

    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"})
    void proposalsOfBytes(OperandType type) {
        Graphs graph = new Graphs(10, type);
        ByteBuffer[] data = {graph.data(type, 2 * 9 * 11 * 3), graph.data(type, 2 * 9 * 11 * 12)};
        for (int before : new int[] {0, 50, 10_000}) {
            for (int after : new int[] {0, 5}) {
                compare(proposals(type, before, after, false, new int[] {2, 9, 11, 3}), null, data);
                compare(proposals(type, before, after, true, new int[] {2, 3, 9, 11}), null, data);
            }
        }
    }

    /** Exponentials of floats are not the reference's to the bit, but those of 0 are. */
    @ParameterizedTest
    @EnumSource(
            value = OperandType.class,
            names = {"TENSOR_FLOAT32", "TENSOR_FLOAT16"})
    void proposalsOfFloats(OperandType type) {
        Graphs graph = new Graphs(11, type);
        ByteBuffer[] data = {
            graph.data(type, 2 * 9 * 11 * 3), ByteBuffer.allocate(2 * 9 * 11 * 12 * type.elementBytes())
        };
        for (boolean channelsFirst : new boolean[] {false, true}) {
            compare(
                    proposals(
                            type,
                            80,
                            30,
                            channelsFirst,
                            channelsFirst ? new int[] {2, 3, 9, 11} : new int[] {2, 9, 11, 3}),
                    null,
                    data);
        }
    }

    @Test
    void saysWhichOutputIsTooSmall() {
        Model model = limit(OperandType.TENSOR_FLOAT32, 0, 20, 0.25f, false);
        try (PreparedModel prepared = Graphs.prepare(model)) {
            ExecutionRequest request = new ExecutionRequest(model);
            ByteBuffer[] data = limitData(OperandType.TENSOR_FLOAT32);
            request.setInput(0, data[0]);
            request.setInput(1, data[1]);
            for (int i = 0; i < model.outputCount(); i++) {
                request.setOutput(i, ByteBuffer.allocate(i == 1 ? 16 : ROOM));
            }
            assertEquals(
                    ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                    assertThrows(NnapiException.class, () -> prepared.execute(request))
                            .resultCode());
            assertTrue(request.isOutputSufficient(0));
            assertEquals(request.outputDimensions(0)[0], request.outputDimensions(1)[0]);
        }
    }

    @Test
    void wrongArgumentsAreRefused() {
        Model model = proposals(OperandType.TENSOR_FLOAT32, 0, 0, false, new int[] {2, 0, 0, 3});
        try (PreparedModel prepared = Graphs.prepare(model)) {
            ByteBuffer scores = ByteBuffer.allocate(2 * 3 * 4 * 3 * 4);
            ByteBuffer deltas = ByteBuffer.allocate(2 * 3 * 4 * 12 * 4);
            ExecutionRequest request = new ExecutionRequest(model);
            request.setInput(0, scores, 2, 3, 4, 3);
            request.setInput(1, deltas, 2, 4, 3, 12);
            assertEquals(
                    ResultCode.BAD_DATA,
                    assertThrows(NnapiException.class, () -> prepared.execute(request))
                            .resultCode());
            request.setInput(1, null);
            assertEquals(
                    ResultCode.BAD_DATA,
                    assertThrows(NnapiException.class, () -> prepared.execute(request))
                            .resultCode());
        }
    }
}
