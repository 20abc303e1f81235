package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class GraphPartitionerTest {
    private static final Tensor X = random(1, 32, 36, 28);
    private static final List<Tensor> WEIGHTS = List.of(random(32, 32, 3, 3));
    private static final String[] BODY = {
        "a = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
        "b = torch.conv2d(a, CONSTANTS.c0, None, [1, 1], [1, 1])",
        "c = torch.lgamma(torch.sigmoid(b))",
        "d = torch.conv2d(torch.add(c, a), CONSTANTS.c0, None, [1, 1], [1, 1])",
        "torch.conv2d(torch.silu(d), CONSTANTS.c0, None, [1, 1], [1, 1])"
    };

    private static Conversion convert(ScriptModule module, SegmentCost cost) {
        return Converter.convert(
                module,
                ConversionOptions.defaults()
                        .withExample(List.of(X))
                        .withSelfCheck(false)
                        .withSegmentCost(cost),
                FreeUnderTest.RUNTIME);
    }

    @Test
    void whatNnapiCannotTakeStaysBetweenSegments() {
        ScriptModule module = FreeUnderTest.module(WEIGHTS, "Tensor", BODY);
        Conversion conversion = convert(module, SegmentCost.DEFAULT);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(2, conversion.models().size());
        assertTrue(
                conversion.report().text().contains("100.0% of the multiply-adds, in 2 segments"),
                conversion.report().text());
        assertTrue(
                conversion.report().outputs().stream().allMatch(text -> text.matches("float32\\[1, 32, 36, 28] NHWC")),
                conversion.report().outputs().toString());
        assertEquals("aten::lgamma", conversion.refusals().get(0).node());
        FreeUnderTest.compare(module, conversion, X);
    }

    @Test
    void segmentsAreCappedAndHaveALeastSize() {
        ScriptModule module = FreeUnderTest.module(WEIGHTS, "Tensor", BODY);
        Conversion one = convert(module, new SegmentCost(1, 0));
        assertEquals(1, one.models().size());
        FreeUnderTest.compare(module, one, X);
        Conversion none = convert(module, new SegmentCost(8, 1L << 40));
        assertFalse(none.succeeded());
    }

    @Test
    void whatDoesNotPayIsRefused() {
        ScriptModule module = FreeUnderTest.module(List.of(), "Tensor", "torch.lgamma(torch.relu(x))");
        Conversion conversion = convert(module, SegmentCost.DEFAULT);
        assertFalse(conversion.succeeded());
    }

    @Test
    void writesStayInOrder() {
        ScriptModule module = FreeUnderTest.module(
                WEIGHTS,
                "Tensor",
                "a = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "_0 = torch.fill_(torch.select(a, 1, 0), 7.)",
                "b = torch.conv2d(a, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "_1 = torch.mul_(torch.select(b, 1, 1), 3.)",
                "torch.conv2d(b, CONSTANTS.c0, None, [1, 1], [1, 1])");
        Conversion conversion = convert(module, SegmentCost.DEFAULT);
        if (conversion.succeeded()) {
            FreeUnderTest.compare(module, conversion, X);
        }
    }

    @Test
    void resultsOfOtherKindsAreMadeAround() {
        ScriptModule module = FreeUnderTest.module(
                WEIGHTS,
                "Tuple[Tensor, List[Tensor], Tensor]",
                "a = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "(a, [torch.argmax(a, 1), x], torch.reshape(a, [1, 2, 2, 8, 36, 28]))");
        Conversion conversion = convert(module, SegmentCost.DEFAULT);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(module, conversion, X);
    }

    @Test
    void whatPaysIsTheDevicesMatter() {
        ScriptModule module = FreeUnderTest.module(WEIGHTS, "Tensor", BODY);
        assertEquals(
                2,
                convert(module, new SegmentCost(64, 0, DeviceSpeed.of("phone")))
                        .models()
                        .size());
        assertFalse(convert(module, new SegmentCost(64, 0, DeviceSpeed.of("start=0.5, bytes=1e9")))
                .succeeded());
        for (String wrong : List.of("", "fast", "start", "start=x", "bytes=0", "speed=1")) {
            assertThrows(IllegalArgumentException.class, () -> DeviceSpeed.of(wrong), wrong);
        }
    }

    /** What the refusal of a small model advises can be done. */
    @Test
    void smallPartsConvertWhereStartsAndBytesCostNothing() {
        Tensor input = FreeUnderTest.random(5, 5);
        ScriptModule original = FreeUnderTest.module(
                List.of(), "Tensor", "torch.linalg_inv(torch.add(torch.matmul(x, x), torch.eye(5)))");
        ConversionOptions options = ConversionOptions.defaults().withExample(List.of(input));
        Conversion refused = Converter.convert(original, options, FreeUnderTest.RUNTIME);
        assertFalse(refused.succeeded());
        assertTrue(
                refused.report().text().contains("--profile start=0,bytes=1e15"),
                refused.report().text());
        Conversion conversion = Converter.convert(
                original,
                options.withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(original, conversion, input);
    }

    /** Nor is it advised where it would not help: what NNAPI could compute has no products. */
    @Test
    void whatHelpsNothingIsNotAdvised() {
        ScriptModule original =
                FreeUnderTest.module(List.of(), "Tensor", "torch.linalg_inv(torch.add(torch.tanh(x), torch.eye(5)))");
        Conversion refused = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(FreeUnderTest.random(5, 5)))
                        .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))),
                FreeUnderTest.RUNTIME);
        assertFalse(refused.succeeded());
        assertFalse(
                refused.report().text().contains("--profile"), refused.report().text());
    }

    /**
     * Which rows are picked depends on elements, and so does what is made of them together, but not the shape that it
     * is added to.
     */
    @Test
    void whatFollowsRowsPickedByElementsConverts() {
        Tensor input = random(64, 512);
        ScriptModule original = FreeUnderTest.module(
                List.of(random(512, 512), random(512, 512)),
                "Tensor",
                "a = torch.linear(torch.relu(torch.linear(x, CONSTANTS.c0)), CONSTANTS.c1)",
                "rows = torch.squeeze(torch.nonzero(torch.gt(torch.select(a, 1, 0), 0.)), 1)",
                "expert = torch.softmax(torch.linear(torch.index_select(a, 0, rows), CONSTANTS.c1), 0)",
                "b = torch.index_add(a, 0, rows, expert)",
                "torch.linear(torch.relu(torch.linear(b, CONSTANTS.c0)), CONSTANTS.c1)");
        Conversion conversion = Converter.convert(
                original, ConversionOptions.defaults().withExample(List.of(input)), FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        // Rows are looked up and multiplied some at a time, which softmax over all of them is not.
        assertEquals(3, conversion.models().size(), conversion.report().text());
        assertTrue(
                conversion.report().text().contains("1 segment takes rows in chunks of 32"),
                conversion.report().text());
        FreeUnderTest.compare(original, conversion, input);
    }
}
