package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptList;

/** Calls of a segment with tensors of any number of rows, here and now; {@link RowCalls} writes such calls down. */
final class RowChunks {
    private RowChunks() {}

    /**
     * @param inputs as the graph has them
     * @param call computes some rows, from and to what NNAPI takes and returns
     * @return as the graph has them
     */
    static List<Tensor> results(LoweredSegment segment, List<Tensor> inputs, UnaryOperator<ScriptList> call) {
        int all = rows(segment.inputs(), inputs);
        List<ScriptList> parts = new ArrayList<>();
        for (LoweredSegment.Boundary output : segment.outputs()) {
            parts.add(new ScriptList(Type.Basic.TENSOR, new ArrayList<>(List.of(empty(output.facts(), 0)))));
        }
        for (int from = 0; from < all; from += segment.rows()) {
            ScriptList some = new ScriptList(Type.Basic.TENSOR);
            for (int i = 0; i < inputs.size(); i++) {
                LoweredSegment.Boundary input = segment.inputs().get(i);
                Tensor taken = input.inRows()
                        ? filled(input.facts(), slice(inputs.get(i), from, from + segment.rows()), segment.rows())
                        : inputs.get(i);
                some.items().add(Structures.cast(taken, input.dtype(), input.shape()));
            }
            ScriptList made = call.apply(some);
            for (int i = 0; i < parts.size(); i++) {
                TensorFacts as = segment.outputs().get(i).facts();
                parts.get(i)
                        .items()
                        .add(slice(
                                Structures.cast((Tensor) made.get(i), as.dtype(), as.shape()),
                                0,
                                Math.min(segment.rows(), all - from)));
            }
        }
        List<Tensor> results = new ArrayList<>();
        parts.forEach(part -> results.add(joined(part)));
        return results;
    }

    /** How many rows there are. */
    static int rows(List<LoweredSegment.Boundary> boundaries, List<Tensor> tensors) {
        for (int i = 0; i < boundaries.size(); i++) {
            if (boundaries.get(i).inRows()) {
                return tensors.get(i).size(0);
            }
        }
        throw new IllegalStateException("a segment of rows takes and returns none (expected: one that does)");
    }

    private static Tensor filled(TensorFacts facts, Tensor some, int rows) {
        return some.size(0) == rows
                ? some
                : joined(new ScriptList(Type.Basic.TENSOR, Arrays.asList(some, empty(facts, rows - some.size(0)))));
    }

    private static Tensor empty(TensorFacts facts, int rows) {
        int[] shape = facts.shape();
        shape[0] = rows;
        return Tensor.zeros(facts.dtype(), shape);
    }

    private static Tensor slice(Tensor tensor, int from, int to) {
        return (Tensor) OperatorRegistry.withBuiltins()
                .find("aten::slice.Tensor")
                .kernel()
                .call(new Object[] {tensor, 0L, (long) from, (long) to, 1L});
    }

    private static Tensor joined(ScriptList parts) {
        return (Tensor)
                OperatorRegistry.withBuiltins().find("aten::cat").kernel().call(new Object[] {parts, 0L});
    }
}
