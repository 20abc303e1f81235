package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.wholeAt;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class DownlevelFormsTest {
    private static final Tensor X = random(2, 4, 9, 8);
    private static final Tensor ROWS = random(6, 10);
    private static final int V8 = 27;
    private static final int V9 = 28;

    private static void both(Tensor input, List<Tensor> constants, String... body) {
        wholeAt(V8, input, constants, body);
        wholeAt(V9, input, constants, body);
    }

    private static void is(String operations, int android, Tensor input, List<Tensor> constants, String... body) {
        assertEquals(operations, String.join(" ", wholeAt(android, input, constants, body)));
    }

    @Test
    void elementwise() {
        is("RELU MUL RELU ADD", V8, ROWS, List.of(), "torch.abs(x)");
        is("ADD", V8, ROWS, List.of(), "torch.sub(x, 2)");
        is("MUL", V8, ROWS, List.of(), "torch.div(x, 3)");
        is("MUL", V8, ROWS, List.of(random(10)), "torch.div(x, CONSTANTS.c0)");
        is("MUL ADD", V8, ROWS, List.of(random(10)), "torch.rsub(x, CONSTANTS.c0)");
        is("SUB", V9, ROWS, List.of(), "torch.sub(x, 2)");
        is("LOGISTIC MUL LOGISTIC DIV", V9, ROWS, List.of(), "torch.exp(x)");
        both(ROWS, List.of(), "torch.neg(x)");
        both(ROWS, List.of(random(10)), "torch.maximum(x, CONSTANTS.c0)");
        both(ROWS, List.of(random(10)), "torch.minimum(x, CONSTANTS.c0)");
        both(ROWS, List.of(), "torch.clamp(x, -0.4, 0.7)");
        both(X, List.of(random(4)), "torch.prelu(x, CONSTANTS.c0)");
        both(ROWS, List.of(), "torch.leaky_relu(x, 0.1)");
        both(ROWS, List.of(), "torch.elu(x, 1.5)");
        both(ROWS, List.of(), "torch.gelu(x)");
        both(ROWS, List.of(), "torch.hardswish(x)");
        both(ROWS, List.of(), "torch.hardsigmoid(x)");
    }

    @Test
    void hardSwishIsItselfFromElevenOn() {
        is("HARD_SWISH", 30, ROWS, List.of(), "torch.hardswish(x)");
        is("HARD_SWISH", 31, ROWS, List.of(), "torch.hardswish(x)");
        is("ADD RELU6 MUL MUL", 29, ROWS, List.of(), "torch.hardswish(x)");
    }

    @Test
    void reductions() {
        is("RESHAPE AVERAGE_POOL_2D RESHAPE", V8, X, List.of(), "torch.mean(x, [2, 3], False)");
        both(X, List.of(), "torch.mean(x, [1], True)");
        both(X, List.of(), "torch.sum(x, [2], False)");
        both(ROWS, List.of(), "torch.amax(x, [1], True)");
        both(ROWS, List.of(), "torch.amin(x, [0], True)");
        both(ROWS, List.of(), "torch.norm(x, 2, [1], True)");
        both(ROWS, List.of(), "torch.add((torch.cummax(x, 1))[0], 0)");
        both(ROWS, List.of(), "torch.add((torch.cummin(x, 0))[0], 0)");
        both(X, List.of(random(8), random(8)), "torch.layer_norm(x, [8], CONSTANTS.c0, CONSTANTS.c1, 1.0e-05, False)");
        both(X, List.of(random(4), random(4)), "torch.group_norm(x, 2, CONSTANTS.c0, CONSTANTS.c1, 1.0e-05, False)");
    }

    @Test
    void arrangement() {
        both(ROWS, List.of(), "torch.constant_pad_nd(x, [1, 2, 0, 3], 0)");
        both(ROWS, List.of(), "torch.constant_pad_nd(x, [1, 2, 0, 3], 1.5)");
        both(ROWS, List.of(), "torch.slice(x, 1, 2, 9, 3)");
        both(ROWS, List.of(), "torch.slice(x, 0, 1, 6, 2)");
        both(X, List.of(), "torch.slice(x, 1, 1, 3, 1)");
        both(ROWS, List.of(), "torch.repeat(x, [2, 3])");
        both(ROWS, List.of(), "torch.index_select(x, 0, torch.tensor([4, 1, 1]))");
        both(ROWS, List.of(), "torch.relu(torch.transpose(x, 0, 1))");
        wholeAt(V9, X, List.of(), "torch.flip(x, [3])");
        both(X, List.of(), "torch.upsample_nearest2d(x, [18, 24], None)");
        both(random(3, 2, 5), List.of(), "torch.softmax(x, 2)");
        wholeAt(V9, X, List.of(), "torch.softmax(x, 1)");
    }

    /**
     * EMBEDDING_LOOKUP takes a list of places, and nothing of these levels makes one of a matrix: they come in as one.
     */
    @Test
    void embeddingsOfSeveralDimensions() {
        List<Tensor> table = List.of(random(5, 8), random(6, 8));
        for (Tensor places : List.of(
                Tensor.of(new long[] {4, 0, 3, 3, 1, 2}, 2, 3),
                Tensor.of(new long[] {4, 0, 3, 3, 1, 2}, 1, 6),
                Tensor.of(new long[] {4, 0, 3, 3, 1, 2, 0, 1}, 2, 1, 2, 2))) {
            is(
                    "EMBEDDING_LOOKUP RESHAPE FULLY_CONNECTED RESHAPE",
                    V8,
                    places,
                    table,
                    "torch.linear(torch.embedding(CONSTANTS.c0, x), CONSTANTS.c1)");
            is(
                    "EMBEDDING_LOOKUP RESHAPE FULLY_CONNECTED RESHAPE",
                    V9,
                    places,
                    table,
                    "torch.linear(torch.embedding(CONSTANTS.c0, x), CONSTANTS.c1)");
        }
        // What else reads the places, or reads them in another order, stays TorchScript.
        Tensor places = Tensor.of(new long[] {4, 0, 3, 3, 1, 2}, 2, 3);
        for (String rows : List.of(
                "torch.embedding(CONSTANTS.c0, torch.t(x))",
                "torch.mul(torch.embedding(CONSTANTS.c0, x), torch.unsqueeze(torch.ne(x, 0), 2))",
                "torch.embedding(CONSTANTS.c0, torch.remainder(torch.add(x, 1), 5))",
                "torch.add(torch.embedding(CONSTANTS.c0, x), torch.unsqueeze(x, 2))")) {
            ScriptModule original = FreeUnderTest.module(table, "Tensor", "torch.linear(" + rows + ", CONSTANTS.c1)");
            for (int level : new int[] {V8, V9}) {
                Conversion conversion = Converter.convert(
                        original,
                        ConversionOptions.defaults()
                                .withExample(List.of(places))
                                .withTarget(Target.ofAndroid(level))
                                .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                        FreeUnderTest.RUNTIME);
                assertTrue(conversion.succeeded(), conversion.report().text());
                FreeUnderTest.requireLevel(level, conversion);
                FreeUnderTest.compare(original, conversion, places);
            }
        }
    }

    @Test
    void convolutions() {
        is(
                "STRIDED_SLICE CONV_2D STRIDED_SLICE CONV_2D CONCATENATION",
                V9,
                X,
                List.of(random(6, 2, 3, 3), random(6)),
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 1], [1, 0], [1, 1], 2)");
        is(
                "CONV_2D",
                V8,
                X,
                List.of(random(6, 2, 3, 3), random(6)),
                "torch.conv2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 1], [1, 0], [1, 1], 2)");
        is(
                "SPACE_TO_BATCH_ND CONV_2D BATCH_TO_SPACE_ND STRIDED_SLICE",
                V9,
                X,
                List.of(random(6, 4, 3, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2], 1)");
        is(
                "CONV_2D",
                V8,
                X,
                List.of(random(6, 4, 3, 3)),
                "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2], 1)");
        both(X, List.of(random(4, 1, 3, 3)), "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 3], [2, 3], 4)");
        both(X, List.of(random(4, 1, 3, 3)), "torch.conv2d(x, CONSTANTS.c0, None, [2, 2], [2, 3], [2, 3], 4)");
        both(X, List.of(random(6, 2, 3, 3)), "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [2, 2], [2, 2], 2)");
        both(
                X,
                List.of(random(4, 3, 3, 3), random(3)),
                "torch.conv_transpose2d(x, CONSTANTS.c0, CONSTANTS.c1, [2, 2], [1, 1], [1, 1], 1, [1, 1])");
        both(
                X,
                List.of(random(4, 3, 4, 4)),
                "torch.conv_transpose2d(x, CONSTANTS.c0, None, [2, 2], [1, 1], [0, 0], 1, [1, 1])");
        both(
                X,
                List.of(random(4, 3, 2, 2)),
                "torch.conv_transpose2d(x, CONSTANTS.c0, None, [2, 2], [0, 0], [0, 0], 2, [1, 1])");
        both(
                X,
                List.of(random(4, 3, 1, 1)),
                "torch.conv_transpose2d(x, CONSTANTS.c0, None, [3, 3], [0, 0], [0, 0], 1, [1, 1])");
    }

    @Test
    void linearLayersTakeImagesAsTheyLie() {
        is(
                "MAX_POOL_2D RESHAPE FULLY_CONNECTED",
                V8,
                X,
                List.of(random(5, 64), random(5)),
                "y = torch.flatten(torch.max_pool2d(x, [2, 2], [2, 2], [0, 0], [1, 1]), 1, -1)",
                "torch.linear(y, CONSTANTS.c0, CONSTANTS.c1)");
    }

    @Test
    void whatALevelLacksStaysTorchScript() {
        Conversion conversion = FreeUnderTest.at(
                V9,
                FreeUnderTest.module(
                        List.of(random(64, 4, 3, 3), random(64, 64, 3, 3)),
                        "Tensor",
                        "y = torch.sin(torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1))",
                        "torch.conv2d(y, CONSTANTS.c1, None, [1, 1], [1, 1], [1, 1], 1)"),
                random(1, 4, 64, 64));
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.requireLevel(V9, conversion);
        assertEquals(
                List.of("aten::sin"),
                conversion.refusals().stream().map(Refusal::node).toList());
        String report = conversion.report().text();
        assertTrue(report.contains("at NNAPI 1.1 (Android 9, API level 28): 2 of 3 operators"), report);
        assertTrue(report.contains("lacks 1 x aten::sin"), report);
        assertTrue(
                report.contains(
                        "at NNAPI 1.2 (Android 10, API level 29): 3 of 3 operators, 100.0% of the multiply-adds, 1 "
                                + "segment\n"),
                report);
        assertTrue(report.contains("for this library's runtime"), report);
    }

    @Test
    void shortestSignatures() {
        Conversion conversion = FreeUnderTest.at(
                29,
                FreeUnderTest.module(
                        List.of(random(6, 4, 3, 3)),
                        "Tensor",
                        "torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1], [1, 1], 1)"),
                X);
        assertEquals(10, conversion.model().model().operations().get(0).inputs().length);
        assertEquals("NNAPI 1.0", conversion.report().need().level().toString());
        assertFalse(conversion.report().text().contains("for this library's runtime"));
    }
}
