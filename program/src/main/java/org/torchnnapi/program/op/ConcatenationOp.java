package org.torchnnapi.program.op;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Values one after the other along an axis. Where each is one piece of the result, what computes it writes there
 * itself.
 *
 * @param axis negative counts from the back
 */
public record ConcatenationOp(int axis) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        Require.count(inputs, 1, Integer.MAX_VALUE);
        ValueType first = inputs.get(0);
        int along = Require.axis(axis, first.rank());
        int[] shape = first.shape().clone();
        shape[along] = 0;
        for (int i = 0; i < inputs.size(); i++) {
            ValueType in = inputs.get(i);
            Require.rank("input " + i, in, first.rank());
            Require.sameElements("input " + i, in, first);
            int[] expected = first.shape().clone();
            expected[along] = in.dimension(along);
            Require.sameShape("input " + i, in, expected);
            shape[along] += in.dimension(along);
        }
        return first.withShape(shape);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ImageStorage storage = LayoutAssignment.common(inputs, actual, false);
        int along = Require.axis(axis, inputs.get(0).rank());
        if (storage.isBlocked() && along == ImageStorage.channelAxis(storage.order())) {
            for (ValueType in : inputs) {
                if (in.dimension(along) % Kernels.channelBlock() != 0) {
                    return LayoutAssignment.declared(inputs.size());
                }
            }
        }
        return LayoutAssignment.all(inputs.size(), storage);
    }

    @Override
    public Op expanded(int rank, int at) {
        int along = Require.axis(axis, rank);
        return new ConcatenationOp(along < at ? along : along + 1);
    }

    @Override
    public int[] parts(Operands operands) {
        if (outer(operands) != 1) {
            return null;
        }
        int[] parts = new int[operands.count()];
        for (int i = 1; i < parts.length; i++) {
            parts[i] = parts[i - 1] + operands.in(i - 1).size();
        }
        return parts;
    }

    /** How often the inputs follow each other. */
    private int outer(Operands operands) {
        ValueType type = operands.out().type();
        ImageStorage storage = operands.out().storage();
        int[] dims = storage.lying(type.shape());
        int outer = 1;
        for (int i = storage.lyingAxis(Require.axis(axis, type.rank())) - 1; i >= 0; i--) {
            outer *= dims[i];
        }
        return outer;
    }

    @Override
    public Step compile(Operands operands) {
        int outer = outer(operands);
        int runs = operands.out().size() / outer;
        List<Step> pieces = new ArrayList<>();
        int to = 0;
        for (PlacedValue in : operands.inputs()) {
            int run = in.size() / outer;
            if (in.constant() != null || in.offset() != operands.out().offset() + to || outer > 1) {
                pieces.add(new StridedBlock(new int[] {outer, run}, 0, new int[] {run, 1}, to, new int[] {runs, 1})
                        .step(in, operands.out()));
            }
            to += run;
        }
        return new Step(pieces.isEmpty() ? 0 : outer, memory -> {
            KernelPool.Task[] tasks = new KernelPool.Task[pieces.size()];
            for (int i = 0; i < tasks.length; i++) {
                tasks[i] = pieces.get(i).binding().to(memory);
            }
            return (begin, end) -> {
                for (KernelPool.Task task : tasks) {
                    task.run(begin, end);
                }
            };
        });
    }

    @Override
    public String label() {
        return "concatenation";
    }
}
