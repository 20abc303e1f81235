package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class GraphVerifierTest {
    private final Graph graph = new Graph();
    private final Value flag = graph.addInput(Type.Basic.BOOL, "flag");
    private final Value x = graph.addInput(Type.Basic.INT, "x");

    private void refused(String part) {
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> GraphVerifier.verify(graph));
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    private Node branch() {
        Node node = graph.block().append(graph.create("prim::If").addInput(flag));
        node.addBlock().addResult(x);
        node.addBlock().addResult(x);
        node.addOutput(Type.Basic.INT);
        return node;
    }

    @Test
    void soundGraphsPass() {
        graph.block().addResult(branch().output());
        Node loop = graph.block()
                .append(graph.create("prim::Loop").addInput(x).addInput(flag).addInput(x));
        Block body = loop.addBlock();
        body.addParameter(Type.Basic.INT, "i");
        Value carried = body.addParameter(Type.Basic.INT, "c");
        body.addResult(flag);
        body.addResult(carried);
        loop.addOutput(Type.Basic.INT);
        assertDoesNotThrow(() -> GraphVerifier.verify(graph));
    }

    @Test
    void valuesMustBeDefinedBefore() {
        Node late = graph.create("prim::Constant").attribute("value", 1L);
        Value value = late.addOutput(Type.Basic.INT);
        graph.block().append(graph.create("prim::TupleConstruct", List.of(value), Type.Basic.ANY));
        graph.block().append(late);
        refused("a value defined before");
    }

    @Test
    void valuesOfABranchStayInIt() {
        Node node = branch();
        Value inner =
                node.blocks().get(0).append(graph.constant(1L, Type.Basic.INT)).output();
        graph.block().addResult(inner);
        refused("a value defined before");
    }

    @Test
    void branchesHaveAResultForEachOutput() {
        branch().addOutput(Type.Basic.INT);
        refused("results of a branch");
    }

    @Test
    void loopsHaveParametersAndResults() {
        Node loop = graph.block().append(graph.create("prim::Loop").addInput(x).addInput(flag));
        loop.addBlock().addResult(flag);
        refused("block parameters");
    }

    @Test
    void operatorsHaveTheInputsOfTheirSchema() {
        FunctionSchema schema = new FunctionSchema(
                "aten::neg",
                "int",
                List.of(FunctionSchema.Argument.of("a", Type.Basic.INT)),
                List.of(FunctionSchema.Argument.of("", Type.Basic.INT)),
                false);
        Node node = graph.block()
                .append(graph.create("aten::neg", List.of(flag), Type.Basic.INT).schema(schema));
        refused("input 0 of type bool");
        node.setInput(0, x);
        assertDoesNotThrow(() -> GraphVerifier.verify(graph));
        node.addInput(x);
        refused("2 inputs");
    }

    @Test
    void constantsHaveAValue() {
        Node node = graph.block().append(graph.create("prim::Constant"));
        node.addOutput(Type.Basic.INT);
        refused("no value");
    }

    @Test
    void nodesOfOtherGraphsAreRefused() {
        graph.block().append(new Graph().constant(1L, Type.Basic.INT));
        refused("graph");
    }
}
