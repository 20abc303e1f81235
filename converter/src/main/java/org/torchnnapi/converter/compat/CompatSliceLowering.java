package org.torchnnapi.converter.compat;

import java.util.Arrays;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::slice} along one dimension, as STRIDED_SLICE. */
final class CompatSliceLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::slice", 5, CompatSliceLowering::slice);
    }

    private static void slice(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.operand(node.input(0));
        TensorOperand operand = in.operand();
        int rank = operand.rank();
        int dimension = CompatReshapeLowering.dimension(context.intConstant(node.input(1)), rank);
        Long start = context.optionalIntConstant(node.input(2));
        Long stop = context.optionalIntConstant(node.input(3));
        long step = context.intConstant(node.input(4));
        if (step < 1 || step > Integer.MAX_VALUE) {
            throw new Refused("slices go forward", "step " + step, ">= 1", "");
        }
        boolean fromFirst = start == null || start == 0;
        if (fromFirst && (stop == null || stop == Long.MAX_VALUE) && step == 1) {
            context.bind(node.output(), in.id());
            return;
        }
        int size = operand.size(dimension);
        if (size <= 0) {
            throw new Refused(
                    "a sliced dimension must be fixed",
                    operand.text(),
                    "a fixed dimension " + dimension,
                    "fix that size of the input");
        }
        int begin = start == null ? 0 : clamp(start, size);
        int end = stop == null ? size : clamp(stop, size);
        if (begin >= end) {
            throw new Refused(
                    "a slice must not be empty", begin + " to " + end + " of " + size, "start below stop", "");
        }
        int[] shape = operand.shape();
        int[] begins = new int[rank];
        int[] ends = operand.shape();
        int[] steps = new int[rank];
        Arrays.fill(steps, 1);
        begins[dimension] = begin;
        ends[dimension] = end;
        steps[dimension] = (int) step;
        shape[dimension] = (int) ((end - begin + step - 1) / step);
        int out = context.define(node.output(), operand.withShape(shape));
        int endMask = 0;
        for (int d = 0; d < rank; d++) {
            if (shape[d] == TensorOperand.AT_LOAD) {
                context.shapes().forward(out, d, in.id(), d);
            }
            if (shape[d] <= 0) {
                endMask |= 1 << operand.layout().toNnapi(d);
                ends[d] = 0;
            }
        }
        ModelAssembler model = context.model();
        model.operation(
                OperationType.STRIDED_SLICE,
                out,
                in.id(),
                model.vector(operand.layout().toNnapi(begins)),
                model.vector(operand.layout().toNnapi(ends)),
                model.vector(operand.layout().toNnapi(steps)),
                model.int32(0),
                model.int32(endMask),
                model.int32(0));
    }

    private static int clamp(long index, int size) {
        return (int) Math.max(0, Math.min(size, index < 0 ? index + size : index));
    }
}
