package org.torchnnapi.converter.range;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.operators.range.NumberRange;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;

/** The rules for operators, as the ranges of a graph apply them. */
class RangesOfOperatorsTest {
    private static final Tensor X = Tensor.of(new long[] {1, 2, 3, 4, 5, 6}, 2, 3);

    private static NumberRange range(String expression) {
        ScriptModule module = FreeUnderTest.module(List.of(X), "Tensor", "a = torch.clamp(x, -5, 9)", expression);
        Graph graph = Passes.pure(module.object(), "forward", Set.of());
        PartialEvaluation.Facts facts = PartialEvaluation.run(graph, List.of(X), module.object());
        return ValueRanges.of(graph, facts, false).of(graph.block().results().get(0));
    }

    /** Of {@code a}, whose numbers are -5 to 9. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "torch.add(a, 3, alpha=2)|1|15",
                "torch.sub(a, CONSTANTS.c0)|-11|8",
                "torch.rsub(a, 1)|-8|6",
                "torch.mul(a, a)|-45|81",
                "torch.square(a)|0|81",
                "torch.pow(a, 3)|-125|729",
                "torch.neg(a)|-9|5",
                "torch.abs(a)|0|9",
                "torch.remainder(a, 4)|0|3",
                "torch.remainder(a, -4)|-3|0",
                "torch.fmod(a, 4)|-3|3",
                "torch.floor_divide(a, 2)|-3|5",
                "torch.div(a, 2, rounding_mode=\"trunc\")|-3|5",
                "torch.bitwise_and(a, 6)|0|6",
                "torch.bitwise_or(a, 3)|-16|15",
                "torch.bitwise_not(a)|-10|4",
                "torch.__lshift__(a, 2)|-20|36",
                "torch.__rshift__(a, 1)|-3|4",
                "torch.where(torch.gt(a, 0), a, 20)|-5|20",
                "torch.masked_fill(a, torch.gt(a, 0), 20)|-5|20",
                "torch.sum(a, [1])|-15|27",
                "torch.cumsum(a, 0)|-15|27",
                "torch.argmax(a, 1)|0|5",
                "(torch.sort(a))[1]|0|5",
                "(torch.sort(a))[0]|-5|9",
                "torch.maximum(a, CONSTANTS.c0)|1|9",
                "torch.minimum(a, CONSTANTS.c0)|-5|6",
                "torch.cat([a, CONSTANTS.c0])|-5|9",
                "torch.constant_pad_nd(a, [1, 0], 30)|-5|30",
                "torch.reshape(torch.transpose(a, 0, 1), [-1])|-5|9",
                "torch.to(torch.mul(torch.sigmoid(torch.to(x, 6)), 10), 4)|0|11",
                "torch.to(torch.gt(x, 3), 4)|0|1",
                "torch.mm(a, torch.t(a))|-135|243",
                "torch.to(torch.mul(torch.erf(torch.to(torch.abs(a), 6)), 10), 4)|0|11",
                "torch.to(torch.round(torch.to(torch.mul(a, 10), 6), decimals=-2), 4)|-100|140",
                "torch.to(torch.nan_to_num(torch.to(torch.add(a, 10), 6)), 4)|0|19",
                "torch.to(torch.dropout(torch.to(a, 6), 0.5, False), 4)|-5|9",
                "torch.argwhere(torch.gt(x, 3))|0|5",
                "torch.repeat_interleave(torch.clamp(torch.reshape(x, [-1]), 2, 2))|0|5",
                "torch.repeat_interleave(a, 2)|-5|9",
                "torch.block_diag([torch.add(a, 10)])|0|19",
                "torch.bincount(torch.reshape(x, [-1]))|0|2147483647",
            })
    void boundsFollowFromBounds(String expression, double low, double high) {
        assertEquals(new NumberRange(low, high), range(expression), expression);
    }

    @Test
    void whatLeavesItsBitsMayBeAnything() {
        assertEquals(NumberRange.INT64, range("torch.mul(torch.mul(x, x), torch.mul(x, x))"));
        assertEquals(NumberRange.INT64, range("torch.to(torch.mul(torch.to(x, 6), 1e300), 4)"));
        assertEquals(
                NumberRange.ANY,
                range("torch.to(torch.bincount(torch.reshape(x, [-1]), torch.reshape(torch.to(x, 6), [-1])), 4)"));
    }
}
