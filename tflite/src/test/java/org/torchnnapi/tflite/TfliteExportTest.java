package org.torchnnapi.tflite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.tflite.TfliteUnderTest.random;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.tensorflow.lite.schema.Model;
import org.tensorflow.lite.schema.SignatureDef;
import org.tensorflow.lite.schema.SubGraph;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class TfliteExportTest {
    private static final Tensor IMAGE = random(1, 3, 20, 16);
    private static final Tensor X = random(2, 4, 9, 8);

    private static TfliteUnderTest net() {
        return new TfliteUnderTest();
    }

    private static void agrees(Tensor input, String expression) {
        net().then(expression).agrees(input);
    }

    @Test
    void mobileNet() {
        TfliteUnderTest net = net().conv(3, 8, 3, 2, 1).then("torch.hardtanh($, 0., 6.)");
        String in = net.last();
        net.conv(8, 16, 1, 1, 1)
                .then("torch.hardtanh($, 0., 6.)")
                .conv(16, 16, 3, 1, 16)
                .then("torch.hardtanh($, 0., 6.)")
                .conv(16, 8, 1, 1, 1);
        net.then("torch.add(" + in + ", $)").then("torch.mean($, [2, 3])");
        net.then("torch.linear($, " + net.constant(10, 8) + ", " + net.constant(10) + ")")
                .then("torch.softmax($, 1)")
                .agrees(IMAGE);
    }

    @Test
    void resNet() {
        TfliteUnderTest net = net().conv(3, 8, 7, 2, 1)
                .then("torch.relu($)")
                .then("torch.max_pool2d($, [3, 3], [2, 2], [1, 1], [1, 1])");
        String in = net.last();
        net.conv(8, 8, 3, 1, 1)
                .then("torch.relu($)")
                .conv(8, 8, 3, 1, 4)
                .then("torch.relu(torch.add($, " + in + "))")
                .then("torch.adaptive_avg_pool2d($, [1, 1])");
        net.then("torch.flatten($, 1, -1)")
                .then("torch.linear($, " + net.constant(10, 8) + ", None)")
                .agrees(IMAGE);
    }

    @Test
    void uNet() {
        TfliteUnderTest net = net().conv(3, 6, 3, 1, 1).then("torch.relu($)");
        String fine = net.last();
        net.then("torch.max_pool2d($, [2, 2], [2, 2], [0, 0], [1, 1])")
                .conv(6, 8, 3, 1, 1)
                .then("torch.relu($)");
        net.then("torch.conv_transpose2d($, " + net.constant(8, 6, 4, 4) + ", " + net.constant(6)
                + ", [2, 2], [1, 1], [0, 0], 1, [1, 1])");
        net.then("torch.cat([$, " + fine + "], 1)")
                .conv(12, 2, 3, 1, 1)
                .then("torch.upsample_bilinear2d($, [40, 32], False, None)")
                .agrees(IMAGE);
    }

    @Test
    void transformer() {
        TfliteUnderTest net = net();
        Tensor x = random(1, 6, 8);
        net.then("torch.layer_norm(x, [8], " + net.constant(8) + ", " + net.constant(8) + ", 1.0e-06, False)");
        String rows = net.last();
        net.then("torch.linear(" + rows + ", " + net.constant(8, 8) + ", None)");
        String keys = net.last();
        net.then("torch.bmm(torch.softmax(torch.bmm(" + rows + ", torch.transpose(" + keys + ", 1, 2)), 2), " + rows
                + ")");
        net.then("torch.add(torch.gelu($), x)").agrees(x);
    }

    @Test
    void quantized() {
        TfliteUnderTest net = net();
        net.then("torch.quantize_per_tensor(x, 0.03, 120, 13)");
        String weights = "torch.quantize_per_tensor(" + net.constant(8, 3, 3, 3) + ", 0.01, 0, 12)";
        net.then("ops.quantized.conv2d_relu($, ops.quantized.conv2d_prepack(" + weights + ", " + net.constant(8)
                + ", [2, 2], [1, 1], [1, 1], 1), 0.02, 0)");
        String in = net.last();
        String deep = "torch.quantize_per_tensor(" + net.constant(8, 1, 3, 3) + ", 0.01, 0, 12)";
        net.then("ops.quantized.conv2d($, ops.quantized.conv2d_prepack(" + deep + ", " + net.constant(8)
                + ", [1, 1], [1, 1], [1, 1], 8), 0.025, 110)");
        net.then("ops.quantized.add($, " + in + ", 0.03, 100)")
                .then("ops.quantized.cat([$, " + in + "], 1, 0.03, 90)")
                .then("torch.adaptive_avg_pool2d($, [1, 1])");
        String rows = "torch.quantize_per_tensor(" + net.constant(5, 16) + ", 0.01, 0, 12)";
        net.then("ops.quantized.linear(torch.flatten($, 1, -1), ops.quantized.linear_prepack(" + rows + ", "
                + net.constant(5) + "), 0.04, 128)");
        ScriptModule module = net.module("Tensor", "torch.dequantize(" + net.last() + ")");
        Tensor want = SelfCheck.run(module, "forward", List.of(IMAGE)).get(0);
        Tensor got = TfliteUnderTest.run(TfliteExport.write(TfliteUnderTest.convert(module, IMAGE)), List.of(IMAGE))
                .get(0);
        for (int i = 0; i < want.numel(); i++) {
            assertEquals(want.getDouble(i), got.getDouble(i), 0.0801, "element " + i + ", in quanta of 0.04");
        }
    }

    @Test
    void paddingOfItsOwnAndMeansThatDoNotCountIt() {
        agrees(X, "torch.max_pool2d(x, [3, 3], [2, 2], [1, 1], [1, 1])");
        agrees(X, "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], False, False)");
        agrees(X, "torch.avg_pool2d(x, [3, 3], [2, 2], [1, 1], True, True)");
        TfliteUnderTest net = net();
        net.then("torch.conv2d(x, " + net.constant(5, 4, 3, 3) + ", None, [2, 1], [0, 2], [1, 2], 1)")
                .agrees(X);
    }

    @Test
    void elementwiseAndArrangement() {
        agrees(X, "torch.hardswish(x)");
        agrees(X, "torch.clamp(torch.mul(torch.sub(x, 1), torch.rsub(x, 2)), -0.5, 0.8)");
        agrees(X, "torch.div(torch.exp(x), torch.add(torch.abs(x), 1))");
        agrees(X, "torch.permute(torch.slice(x, 3, 1, 7, 2), [0, 3, 1, 2])");
        agrees(X, "torch.softmax(x, 1)");
        agrees(X, "torch.log_softmax(x, 2)");
        agrees(X, "torch.constant_pad_nd(x, [1, 2, 0, 3], 1.5)");
        agrees(X, "torch.repeat(torch.sum(x, [1], True), [1, 2, 1, 1])");
        agrees(X, "torch.where(torch.gt(x, 0), x, torch.neg(x))");
        agrees(X, "torch.amax(torch.upsample_nearest2d(x, [18, 16], None), [2], False)");
        agrees(random(2, 3, 2, 3, 4), "torch.relu(x)");
        Conversion places =
                TfliteUnderTest.convert(net().then("torch.argmax(x, 1)").module("Tensor", "x1"), X);
        assertEquals(
                "INT32",
                TfliteUnderTest.run(TfliteExport.write(places), List.of(X))
                        .get(0)
                        .dtype()
                        .name());
    }

    @Test
    void namesAndOrder() {
        TfliteUnderTest net = net().then("torch.relu(x)").then("torch.neg(x1)");
        ScriptModule module = net.module("Tuple[Tensor, Tensor]", "(x2, x1)");
        byte[] file = TfliteExport.write(TfliteUnderTest.convert(module, X));
        Model model = Model.getRootAsModel(ByteBuffer.wrap(file));
        assertTrue(Model.ModelBufferHasIdentifier(ByteBuffer.wrap(file)));
        assertEquals(3, model.version());
        SignatureDef signature = model.signatureDefs(0);
        SubGraph graph = model.subgraphs(0);
        assertEquals("serving_default", signature.signatureKey());
        assertEquals("x", signature.inputs(0).name());
        assertEquals("x", graph.tensors(graph.inputs(0)).name());
        assertEquals("output_0", signature.outputs(0).name());
        assertEquals(
                "output_1",
                graph.tensors((int) signature.outputs(1).tensorIndex()).name());
        List<Tensor> want = SelfCheck.run(module, "forward", List.of(X));
        List<Tensor> got = TfliteUnderTest.run(file, List.of(X));
        TfliteUnderTest.assertAgree(want.get(0), got.get(0));
        TfliteUnderTest.assertAgree(want.get(1), got.get(1));
    }

    @Test
    void whatIsLackingIsNamed() {
        TfliteUnderTest net = net();
        String weights = "torch.quantize_per_tensor(" + net.constant(8, 3, 3, 3) + ", 0.01, 3, 12)";
        net.then("torch.quantize_per_tensor(x, 0.03, 120, 13)")
                .then("ops.quantized.conv2d($, ops.quantized.conv2d_prepack(" + weights + ", " + net.constant(8)
                        + ", [2, 2], [1, 1], [1, 1], 1), 0.02, 0)");
        Conversion conversion = TfliteUnderTest.convert(net.module("Tensor", "torch.dequantize(x2)"), IMAGE);
        UnsupportedByTflite refused = assertThrows(UnsupportedByTflite.class, () -> TfliteExport.write(conversion));
        assertEquals(
                List.of("CONV_2D with weights of zero point 131 (expected: symmetric ones, of zero point 128, as "
                        + "PyTorch's default for QNNPACK)"),
                refused.reasons());
    }

    @Test
    void onlyWholeModels() {
        TfliteUnderTest net = net().conv(3, 64, 3, 1, 1).then("torch.erfinv($)").conv(64, 64, 3, 1, 1);
        Conversion conversion = TfliteUnderTest.convert(net.module("Tensor", net.last()), random(1, 3, 64, 64));
        assertNull(conversion.whole());
        assertThrows(IllegalArgumentException.class, () -> TfliteExport.write(conversion));
    }
}
