package org.torchnnapi.operators.passes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.passes.Literals;

class QuantizedPairsTest {
    private static final String OPS = "ops.quantized_decomposed.";
    private static final Tensor WEIGHT = Tensor.of(DType.INT8, new byte[] {1, -2, 3, 4}, 2, 2);
    private static final Tensor SCALES = Tensor.of(new float[] {0.5f, 0.25f}, 2);
    private static final String REAL_WEIGHT =
            "w = " + OPS + "dequantize_per_channel(CONSTANTS.c0, CONSTANTS.c1, None, 0, -127, 127, 1)";

    /** A value behind a step to signed bytes and back. */
    private static String steps(String to, String from, double scale, int zeroPoint) {
        String rest = scale + ", " + zeroPoint + ", -128, 127, 1)";
        return to + "_q = " + OPS + "quantize_per_tensor(" + from + ", " + rest + "\n  " + to + " = " + OPS
                + "dequantize_per_tensor(" + to + "_q, " + rest;
    }

    private static Graph graph(String... body) {
        return PassesUnderTest.graph(Passes::simplify, List.of(WEIGHT, SCALES), body);
    }

    private static List<Node> nodes(Graph graph) {
        return graph.block().nodes().stream()
                .filter(node -> !node.is("prim::Constant"))
                .toList();
    }

    private static List<String> kinds(String... body) {
        List<String> kinds = new ArrayList<>();
        nodes(graph(body)).forEach(node -> kinds.add(node.kind()));
        return kinds;
    }

    private static Object known(Node node, int input) {
        return Literals.of(node.input(input)).orElseThrow().value();
    }

    @Test
    void layersBetweenStepsAreQuantized() {
        String[] forms = {
            "y = torch.linear(a, w, None)", "y = torch.mm(a, torch.permute(w, [1, 0]))", "y = torch.mm(a, torch.t(w))"
        };
        for (String form : forms) {
            List<Node> nodes = nodes(graph(
                    steps("a", "x", 0.5, -3), REAL_WEIGHT, form, steps("b", "torch.relu(y)", 0.25, -128), "return b"));
            assertEquals(
                    List.of("aten::quantize_per_tensor", "quantized::linear_relu", "aten::dequantize"),
                    nodes.stream().map(Node::kind).toList());
            // Unsigned bytes stand for the same as signed ones that are 128 less.
            assertEquals(125L, known(nodes.get(0), 2));
            assertEquals((long) DType.QUINT8.code(), known(nodes.get(0), 3));
            assertEquals(0.25, known(nodes.get(1), 2));
            assertEquals(0L, known(nodes.get(1), 3));
        }
    }

    @Test
    void whatKeepsIntegersTakesThem() {
        assertEquals(
                List.of(
                        "aten::quantize_per_tensor",
                        "prim::ListConstruct",
                        "aten::reshape",
                        "quantized::linear",
                        "aten::dequantize"),
                kinds(
                        steps("a", "x", 0.5, 0),
                        REAL_WEIGHT,
                        steps("v", "torch.view(a, [-1, 2])", 0.5, 0),
                        "y = torch.linear(v, w, None)",
                        steps("b", "y", 0.25, 0),
                        "return b"));
        assertEquals(
                List.of(
                        "aten::quantize_per_tensor",
                        "quantized::add",
                        "prim::ListConstruct",
                        "quantized::cat",
                        "prim::ListConstruct",
                        "aten::adaptive_avg_pool2d",
                        "aten::relu",
                        "aten::dequantize"),
                kinds(
                        steps("a", "x", 0.5, 0),
                        steps("s", "torch.add(a, a, alpha=1)", 0.25, 1),
                        steps("c", "torch.cat([s, a], 1)", 0.125, 1),
                        steps("p", "torch.adaptive_avg_pool2d(c, [1, 1])", 0.125, 1),
                        steps("h", "torch.hardtanh(p, 0., 16.)", 0.125, 1),
                        "return h"));
    }

    @Test
    void whatHasNoQuantizedFormStaysBetweenSteps() {
        assertEquals(
                List.of(
                        "aten::quantize_per_tensor",
                        "aten::dequantize",
                        "aten::erf",
                        "aten::quantize_per_tensor",
                        "aten::dequantize"),
                kinds(steps("a", "x", 0.5, 0), steps("b", "torch.erf(a)", 0.25, 0), "return b"));
        // The result of the product is read as a real number, too.
        assertEquals(
                List.of(
                        "aten::quantize_per_tensor",
                        "aten::dequantize",
                        "aten::linear",
                        "aten::quantize_per_tensor",
                        "aten::dequantize",
                        "aten::add"),
                kinds(
                        steps("a", "x", 0.5, 0),
                        REAL_WEIGHT,
                        "y = torch.linear(a, w, None)",
                        steps("b", "y", 0.25, 0),
                        "return torch.add(b, y, alpha=1)"));
    }

    @Test
    void rangesThatAreNoBytesStayAsTheyAre() {
        String rest = "0.5, 0, 0, 127, 0)";
        assertEquals(
                2,
                kinds(
                                "q = " + OPS + "quantize_per_tensor(x, " + rest,
                                "return " + OPS + "dequantize_per_tensor(q, " + rest)
                        .stream()
                        .filter(kind -> kind.startsWith("quantized_decomposed::"))
                        .count());
    }

    @Test
    void weightsKeepTheirIntegers() {
        List<Node> nodes = nodes(PassesUnderTest.graph(
                graph -> {
                    QuantizedPairs.run(graph);
                },
                List.of(WEIGHT, SCALES),
                REAL_WEIGHT,
                "return w"));
        Tensor weight = (Tensor) known(nodes.get(0), 0);
        assertEquals(DType.QINT8, weight.dtype());
        assertEquals(1, weight.getLong(0));
        assertEquals(-2, weight.getLong(1));
        assertEquals(0.25, ((Quantization.PerChannel) weight.quantization()).scales()[1]);
    }

    @Test
    void rangesOfTheInputAreThoseOfDynamicLayers() {
        String rest = "c[0], c[1], -128, 127, 1)";
        assertEquals(
                List.of("quantized::linear_dynamic"),
                kinds(
                        "c = " + OPS + "choose_qparams(x, -128, 127, 0.0001, 1)",
                        "q = " + OPS + "quantize_per_tensor(x, " + rest,
                        "a = " + OPS + "dequantize_per_tensor(q, " + rest,
                        REAL_WEIGHT,
                        "return torch.linear(a, w, None)"));
    }

    private static final Tensor SCALE = Tensor.of(new float[] {0.5f}, 1);
    private static final Tensor ZERO = Tensor.of(new long[] {-3}, 1);

    private static String affine(String name, String from, String block, String range) {
        return "ops.torchao." + name + "_affine(" + from + ", " + block + ", " + range + ")";
    }

    private static List<String> affineKinds(String weightBlock, String domain) {
        String rest = "CONSTANTS.c2, CONSTANTS.c3, 1, None, None, \"" + domain + "\"";
        Graph graph = PassesUnderTest.graph(
                Passes::simplify,
                List.of(WEIGHT, SCALES, SCALE, ZERO),
                "q = " + affine("quantize", "x", "[3, 2]", rest),
                "a = " + affine("dequantize", "q", "[3, 2]", rest),
                "w = " + affine("dequantize", "CONSTANTS.c0", weightBlock, "CONSTANTS.c1, None, 1, -8, 7"),
                "p = " + affine("quantize", "torch.linear(a, w, None)", "[3, 2]", rest),
                "return " + affine("dequantize", "p", "[3, 2]", rest));
        List<String> kinds = new ArrayList<>();
        nodes(graph).forEach(node -> kinds.add(node.kind()));
        return kinds;
    }

    @Test
    void stepsWithBlocksAreOneForAllOrOneAChannel() {
        assertEquals(
                List.of("aten::quantize_per_tensor", "quantized::linear", "aten::dequantize"),
                affineKinds("[1, 2]", "INT"));
        // One scale a column, as no packed weight has it.
        assertTrue(affineKinds("[2, 1]", "INT").contains("aten::linear"));
        assertTrue(affineKinds("[1, 2]", "FLOAT").contains("aten::linear"));
    }

    @Test
    void functionsBetweenStepsAreToldTheQuantizationOfTheirResult() {
        for (String[] form : new String[][] {
            {"torch.sigmoid(a)", "quantized::sigmoid"},
            {"torch.elu(a, 1, 1, 1)", "quantized::elu"},
            {"torch.softmax(a, 1, None)", "quantized::softmax"},
            {"torch.hardswish(a)", "quantized::hardswish"},
            {"torch.leaky_relu(a, 0.1)", "quantized::leaky_relu"}
        }) {
            assertEquals(
                    List.of("aten::quantize_per_tensor", form[1], "aten::dequantize"),
                    kinds(steps("a", "x", 0.5, 0), steps("b", form[0], 0.25, 0), "return b"));
        }
    }
}
