package org.torchnnapi.operators.range;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

class RangeRulesTest {
    private final Graph graph = new Graph();
    private final NodeBuilder calls = NodeBuilder.of(graph, graph.block()::append);
    private final Value x = graph.addInput(Type.Basic.TENSOR, "x");

    /** All arguments are whole numbers of -5 to 9, three elements in a row. */
    private static final class Known implements RangeRules.Read {
        @Override
        public NumberRange of(Node node, int argument) {
            return new NumberRange(-5, 9);
        }

        @Override
        public boolean has(Node node, int argument) {
            return argument < node.inputs().size();
        }

        @Override
        public double count(Node node, int argument) {
            return 3;
        }

        @Override
        public double length(Node node, int argument) {
            return 3;
        }

        @Override
        public double joined(Node node) {
            return 3;
        }

        @Override
        public boolean isWhole(Node node) {
            return true;
        }
    }

    private static NumberRange range(Value made) {
        return RangeRules.of(made.definition(), 0, new Known());
    }

    @Test
    void boundsFollowFromBounds() {
        assertEquals(new NumberRange(-45, 81), range(calls.tensor("aten::mul.Tensor", x, x)));
        assertEquals(new NumberRange(0, 9), range(calls.tensor("aten::abs", x)));
        assertEquals(new NumberRange(-15, 27), range(calls.tensor("aten::sum", x, null)));
        assertEquals(new NumberRange(-5, 9), range(calls.reshape(x, new int[] {3, 1})));
    }

    @Test
    void whatIsNotKnownMayBeAnything() {
        assertEquals(NumberRange.ANY, range(calls.tensor("aten::tan", x)));
    }

    @Test
    void everyRuleIsOfAnOperator() {
        OperatorRegistry all = OperatorRegistry.withBuiltins();
        assertEquals(
                List.of(),
                RangeRules.kinds().stream()
                        .filter(kind -> all.overloads(kind).isEmpty())
                        .sorted()
                        .toList());
    }
}
