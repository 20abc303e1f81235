package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;

class QuantizeStepsTest {
    private static String kinds(List<Tensor> constants, String... body) {
        ScriptModule module = FreeUnderTest.module(constants, "Tensor", body);
        Graph graph = Passes.pure(module.object(), "forward", Set.of());
        QuantizeSteps.run(graph);
        return graph.block().nodes().stream()
                .filter(node -> !node.kind().startsWith("prim::"))
                .map(node -> node.kind()
                        + (node.schema().overload().isEmpty()
                                ? ""
                                : "." + node.schema().overload()))
                .collect(Collectors.joining(" "));
    }

    @Test
    void scalesThatAreTensorsBecomeNumbers() {
        assertEquals(
                "aten::quantize_per_tensor",
                kinds(
                        List.of(Tensor.of(new float[] {0.5f}, 1), Tensor.of(new long[] {3}, 1)),
                        "torch.quantize_per_tensor(x, CONSTANTS.c0, CONSTANTS.c1, 13)"));
    }

    @Test
    void movesAreOfQuantizedTensors() {
        assertEquals(
                "aten::quantize_per_tensor aten::flatten.using_ints aten::permute aten::dequantize.self",
                kinds(
                        List.of(),
                        "q = torch.quantize_per_tensor(x, 0.5, 3, 13)",
                        "torch.permute(torch.flatten(torch.dequantize(q), 1), [1, 0])"));
    }

    /** It reads the bits of real numbers, which quantized ones do not have. */
    @Test
    void viewsAsAnotherTypeStay() {
        assertEquals(
                "aten::quantize_per_tensor aten::dequantize.self aten::view.dtype",
                kinds(List.of(), "q = torch.quantize_per_tensor(x, 0.5, 3, 13)", "torch.view(torch.dequantize(q), 3)"));
    }

    /** Others that read the real numbers would dequantize once more. */
    @Test
    void whatIsReadTwiceStays() {
        assertEquals(
                "aten::quantize_per_tensor aten::dequantize.self aten::flatten.using_ints aten::add.Tensor",
                kinds(
                        List.of(),
                        "q = torch.quantize_per_tensor(x, 0.5, 3, 13)",
                        "r = torch.dequantize(q)",
                        "torch.add(torch.flatten(r, 0), r)"));
    }
}
