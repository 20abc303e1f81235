package org.torchnnapi.converter.partial;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.value.ScriptException;

/** Slices of 6 rows of 4, whose bound {@code k} is where the first column is largest, another place in other runs. */
class DynamicSlicesTest {
    private static final SegmentCost FREE = new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"));
    private static final List<Tensor> WEIGHTS = List.of(random(4, 4), random(4));
    private static final String ROWS = "y = torch.relu(torch.linear(x, CONSTANTS.c0, CONSTANTS.c1))";
    private static final String BOUND = "k = int(torch.argmax(torch.select(x, 1, 0)))";

    /** The largest element of the first column in the given row. */
    private static Tensor largest(int row) {
        Tensor x = random(6, 4).contiguous();
        x.storage().floatArray()[4 * row] = 9;
        return x;
    }

    private static Conversion converted(String result, List<Integer> bounds, String... body) {
        ScriptModule original = FreeUnderTest.module(WEIGHTS, result, body);
        Conversion conversion = Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(largest(bounds.get(0))))
                        .withSegmentCost(FREE),
                FreeUnderTest.RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        for (int bound : bounds) {
            FreeUnderTest.compare(original, conversion, largest(bound));
        }
        return conversion;
    }

    private static void whole(List<Integer> bounds, String... body) {
        assertEquals(List.of(), converted("Tensor", bounds, body).refusals());
    }

    @Test
    void sumsAndMeansOfWhatIsMadeByRows() {
        whole(List.of(3, 1, 5, 0), ROWS, BOUND, "torch.sum(torch.neg(torch.slice(y, 0, None, torch.add(k, 1))), [0])");
        whole(List.of(3, 1, 5, 0), ROWS, BOUND, "torch.mean(torch.slice(y, 0, k, None), [0])");
        whole(List.of(3, 4, 2), ROWS, BOUND, "torch.sum(torch.slice(y, 0, 1, k), [0])");
        whole(List.of(3, 4, 2), ROWS, BOUND, "torch.sum(torch.slice(y, 0, k, torch.mul(k, 2)), [0])");
        whole(List.of(3, 4, 2, 0), ROWS, BOUND, "torch.sum(torch.slice(y, 0, torch.sub(k, 3), None), [0])");
    }

    @Test
    void largestRowsAndTheirPlaces() {
        whole(
                List.of(3, 1, 5, 0),
                ROWS,
                BOUND,
                "m, at = torch.max(torch.slice(torch.neg(y), 0, None, torch.add(k, 1)), 0)",
                "torch.add(m, at)");
        whole(List.of(3, 1, 5, 0), ROWS, BOUND, "m, at = torch.min(torch.slice(y, 0, k, None), 0)", "torch.mul(m, 2)");
        whole(List.of(3, 1, 5), ROWS, BOUND, "torch.amax(torch.slice(torch.neg(y), 0, 1, torch.add(k, 1)), [0], True)");
    }

    @Test
    void oneOfTheRows() {
        whole(List.of(3, 2, 5), ROWS, BOUND, "torch.select(torch.neg(torch.slice(y, 0, None, k)), 0, 1)");
        whole(
                List.of(3, 1, 5, 0),
                ROWS,
                BOUND,
                "torch.select(torch.neg(torch.slice(y, 0, None, torch.add(k, 1))), 0, -1)");
        whole(List.of(2, 5, 4), ROWS, BOUND, "torch.select(torch.neg(torch.slice(y, 0, 1, torch.mul(k, 2))), 0, -1)");
    }

    @Test
    void rowsThatAreNotThereAreRefused() {
        Conversion first = converted(
                "Tensor", List.of(3, 2), ROWS, BOUND, "torch.select(torch.neg(torch.slice(y, 0, None, k)), 0, 1)");
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(first.toBytes()), FreeUnderTest.RUNTIME);
        assertThrows(ScriptException.class, () -> SelfCheck.run(module, "forward", List.of(largest(1))));
    }

    /** What has all rows meets the slice where it takes all, or PyTorch refuses it. */
    @Test
    void withATensorOfAllRows() {
        Conversion whole =
                converted("Tensor", List.of(5), ROWS, BOUND, "torch.mul(torch.slice(y, 0, None, torch.add(k, 1)), x)");
        assertEquals(List.of(), whole.refusals());
        assertTrue(
                whole.report()
                        .text()
                        .contains("self-check: on other inputs the file refuses what the original takes: "),
                whole.report().text());
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(whole.toBytes()), FreeUnderTest.RUNTIME);
        assertThrows(ScriptException.class, () -> SelfCheck.run(module, "forward", List.of(largest(2))));
    }

    @Test
    void windowsHaveTheirRowsInEveryRun() {
        whole(List.of(3, 1, 0), ROWS, BOUND, "torch.neg(torch.slice(y, 0, k, torch.add(k, 3)))");
        Conversion narrowed =
                converted("Tensor", List.of(3, 1, 0), ROWS, BOUND, "torch.softmax(torch.narrow(y, 0, k, 3), 0)");
        assertEquals(List.of(), narrowed.refusals());
        ScriptModule module = ScriptModule.of(TorchScriptArchive.of(narrowed.toBytes()), FreeUnderTest.RUNTIME);
        assertThrows(ScriptException.class, () -> SelfCheck.run(module, "forward", List.of(largest(4))));
    }

    /** TorchScript slices at the end what NNAPI made of all rows. */
    @Test
    void whatIsReturnedIsSlicedLast() {
        Conversion conversion = converted(
                "Tuple[Tensor, Tensor]",
                List.of(3, 1, 5),
                BOUND,
                "z = torch.slice(x, 0, k, None)",
                "(torch.relu(torch.linear(z, CONSTANTS.c0, CONSTANTS.c1)), torch.argmax(z, 1))");
        assertEquals(1, conversion.report().coverage().segments());
        assertEquals(
                conversion.report().coverage().allMultiplyAdds(),
                conversion.report().coverage().multiplyAdds());
    }
}
