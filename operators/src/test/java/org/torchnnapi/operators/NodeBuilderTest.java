package org.torchnnapi.operators;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

class NodeBuilderTest {
    private final Graph graph = new Graph();
    private final NodeBuilder builder = NodeBuilder.of(graph, graph.block()::append);

    /** The verifier holds each call's arguments and results against the operator's schema. */
    @Test
    void callsFitTheOperators() {
        Value n = input(Type.Basic.INT);
        Value truth = input(Type.Basic.BOOL);
        Value x = input(Type.Basic.TENSOR);
        Value list = input(Type.list(Type.Basic.TENSOR));
        Value dict = input(new Type.DictType(Type.Basic.STRING, Type.Basic.TENSOR));
        List<Value> made = List.of(
                builder.plus(n, 1),
                builder.minus(1, n),
                builder.times(n, n),
                builder.quotient(n, 2),
                builder.remainder(n, 2),
                builder.ratio(1.5, builder.real(n)),
                builder.scaled(1.5, builder.real(n)),
                builder.differ(n, 3),
                builder.areEqual(n, 3),
                builder.isLess(n, 3),
                builder.isGreater(n, 3),
                builder.not(truth),
                builder.and(truth, truth),
                builder.or(truth, truth),
                builder.isNone(x),
                builder.isGiven(x),
                builder.length(list),
                builder.item(list, 0),
                builder.length(dict),
                builder.item(dict, "key"),
                builder.contains(dict, "key"),
                builder.list(Type.Basic.TENSOR, x, x),
                builder.size(x, 0),
                builder.sizes(x),
                builder.rank(x),
                builder.dtype(x),
                builder.haveSizes(x, 1, 2),
                builder.haveOtherSizes(x, 1, 2),
                builder.reshape(x, new int[] {2, 1}),
                builder.select(x, 0, n),
                builder.slice(x, 0, null, n),
                builder.indexSelect(x, 0, x),
                builder.concatenate(list, 0),
                builder.unsqueeze(x, 0),
                builder.squeeze(x, 0),
                builder.sum(x, x),
                builder.difference(x, x),
                builder.where(x, x, x),
                builder.both(x, x),
                builder.to(x, DType.FLOAT32),
                builder.contiguous(x, 0),
                builder.zeros(builder.sizes(x), DType.FLOAT32),
                builder.filled(n, DType.FLOAT32),
                builder.dequantize(x),
                builder.format("{} of {}", n, x));
        builder.add(list, x);
        builder.raise("wrong");
        GraphVerifier.verify(graph);
        Node raised = builder.again(made.get(0).definition(), List.of(n, n)).definition();
        assertEquals("aten::add.int", raised.schema().fullName());
        assertTrue(NodeBuilder.isItem(builder.item(list, 0).definition()));
        assertTrue(NodeBuilder.isSize(builder.size(x, 0).definition()));
        assertTrue(graph.block().nodes().stream().anyMatch(NodeBuilder::isRaise));
    }

    private Value input(Type type) {
        return graph.addInput(type, "x" + graph.inputs().size());
    }

    @Test
    void constantsAreOfTheirTypes() {
        List<Node> placed = new ArrayList<>();
        NodeBuilder into = NodeBuilder.of(graph, placed::add);
        Value list = into.value(new int[] {3, 4});
        assertEquals(Type.list(Type.Basic.INT), list.type());
        assertEquals(Type.Basic.INT, into.value(2).type());
        assertEquals(Type.Basic.NONE, into.value(null).type());
        assertEquals(list, into.value(list));
        assertEquals(3, placed.size());
    }

    @Test
    void overloadsFollowFromTypes() {
        Map<Type, String> differ = Map.of(Type.Basic.INT, "int", Type.Basic.FLOAT, "float", Type.Basic.BOOL, "bool");
        differ.forEach((type, overload) -> assertEquals(
                "aten::ne." + overload,
                builder.differ(input(type), input(type)).definition().schema().fullName()));
        Value dict = input(new Type.DictType(Type.Basic.INT, Type.Basic.TENSOR));
        assertEquals(
                "aten::__getitem__.Dict_int",
                builder.item(dict, 1).definition().schema().fullName());
        assertEquals(Type.Basic.TENSOR, builder.item(dict, 1).type());
        assertEquals(
                "aten::len.Dict_int", builder.length(dict).definition().schema().fullName());
    }
}
