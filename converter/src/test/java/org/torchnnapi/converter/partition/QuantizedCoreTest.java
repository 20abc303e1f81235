package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;

class QuantizedCoreTest {
    private static Graph graph(String result, String... body) {
        return Passes.prepare(FreeUnderTest.module(List.of(), result, body).object(), "forward", Set.of());
    }

    private static List<String> kinds(Graph graph) {
        return graph.block().nodes().stream()
                .map(Node::kind)
                .filter(kind -> !kind.equals("prim::Constant"))
                .toList();
    }

    private static Graph model() {
        return graph("Tensor", "y = torch.relu(torch.quantize_per_tensor(x, 0.5, 9, 13))", "torch.dequantize(y)");
    }

    @Test
    void takesOffBothEnds() {
        Graph graph = model();
        QuantizedCore core = QuantizedCore.cut(graph);
        assertEquals(List.of(new QuantizedCore.Quantizer(0.5, 9)), core.inputs());
        assertEquals(List.of(true), core.outputs());
        InputSpec real = InputSpec.of(DType.FLOAT32, 1, 2, 3, 3).asChannelsLast();
        assertEquals(List.of(InputSpec.quantized(0.5, 9, 1, 2, 3, 3).asChannelsLast()), core.specs(List.of(real)));
        assertEquals(List.of("aten::relu"), kinds(graph));
    }

    @Test
    void putsBothEndsAround() {
        Graph graph = model();
        QuantizedCore.cut(graph).putAround(graph);
        assertEquals(List.of("aten::quantize_per_tensor", "aten::relu", "aten::dequantize"), kinds(graph));
        List<Node> nodes = graph.block().nodes();
        Node quantize = nodes.stream()
                .filter(node -> node.is("aten::quantize_per_tensor"))
                .findFirst()
                .orElseThrow();
        assertEquals(
                List.of(0.5, 9L, 13L),
                quantize.inputs().stream()
                        .skip(1)
                        .map(input -> input.definition().attribute("value"))
                        .toList());
        assertEquals(
                "aten::dequantize", graph.block().results().get(0).definition().kind());
    }

    @Test
    void endsOfTuplesGoAroundTheirItems() {
        Graph graph = graph(
                "Tuple[Tensor, Tensor]",
                "y = torch.relu(torch.quantize_per_tensor(x, 0.5, 9, 13))",
                "(torch.dequantize(y), torch.mul(x, x))");
        QuantizedCore core = QuantizedCore.cut(graph);
        assertEquals(List.of(true, false), core.outputs());
        core.putAround(graph);
        Node tuple = graph.block().results().get(0).definition();
        assertEquals("aten::dequantize", tuple.input(0).definition().kind());
        assertEquals("aten::mul", tuple.input(1).definition().kind());
    }

    @Test
    void argumentsAreQuantizedAndRealAgain() {
        QuantizedCore core = QuantizedCore.cut(model());
        Tensor real = Tensor.of(new float[] {-1, 0.6f}, 2);
        Tensor bytes = (Tensor) core.quantized(List.of(real)).get(0);
        assertEquals(new Quantization.PerTensor(0.5, 9), bytes.quantization());
        Tensor again = (Tensor) core.real(List.of(bytes)).get(0);
        assertEquals(0.5, again.getDouble(1));
    }

    @Test
    void stepsThatOthersUseStay() {
        Graph graph = graph(
                "Tuple[Tensor, Tensor]",
                "y = torch.quantize_per_tensor(x, 0.5, 9, 13)",
                "z = torch.dequantize(y)",
                "(z, torch.add(z, x))");
        QuantizedCore core = QuantizedCore.cut(graph);
        assertTrue(core.isEmpty());
        assertEquals(List.of(false, false), core.outputs());
    }
}
