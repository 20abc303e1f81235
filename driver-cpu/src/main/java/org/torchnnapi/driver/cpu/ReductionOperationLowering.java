package org.torchnnapi.driver.cpu;

import java.util.function.Function;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.QuantizedExtremeOp;
import org.torchnnapi.program.op.QuantizedMeanOp;
import org.torchnnapi.program.op.ReduceOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;

/** MEAN and REDUCE_* over any axes; of bytes the mean, the largest and the smallest. */
record ReductionOperationLowering(ReductionKernel reduction) implements OperationLowering {
    private static final int AXES = OperationView.input(OperationType.MEAN, "axes");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(
                site.typeProblem(0), reduction == ReductionKernel.MEAN || isExtreme() ? null : site.realProblem(0));
    }

    private boolean isExtreme() {
        return reduction == ReductionKernel.MAX || reduction == ReductionKernel.MIN;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int in = translation.in(site, 0);
        // Without the axes, or as [1] where none is left.
        translation.result(
                site,
                new ReshapeOp(site.out().dimensions()),
                site.isFloat()
                        ? reduced(translation, reduction, site.ints(AXES), in)
                        : reduced(
                                translation,
                                site.ints(AXES),
                                in,
                                axes -> isExtreme()
                                        ? new QuantizedExtremeOp(reduction == ReductionKernel.MAX, axes, true)
                                        : new QuantizedMeanOp(axes, true, Rounding.HALF_EVEN)));
    }

    /** Floats reduced over any axes, which stay with one element each or come last so. */
    static int reduced(Translation translation, ReductionKernel reduction, int[] axes, int value) {
        return reduced(translation, axes, value, adjacent -> new ReduceOp(reduction, adjacent, true));
    }

    /** Brings axes together behind the others where they are apart. */
    private static int reduced(Translation translation, int[] axes, int value, Function<int[], Op> operation) {
        ValueType type = translation.type(value);
        boolean[] gone = new boolean[type.rank()];
        for (int axis : axes) {
            gone[axis < 0 ? axis + gone.length : axis] = true;
        }
        int[] order = new int[gone.length];
        int n = 0;
        int turns = 0;
        boolean inside = false;
        for (int i = 0; i < gone.length; i++) {
            if (!gone[i]) {
                order[n++] = i;
            }
            turns += gone[i] && !inside ? 1 : 0;
            inside = gone[i] || inside && type.dimension(i) == 1;
        }
        if (turns <= 1) {
            return translation.add(operation.apply(axes), value);
        }
        int[] last = new int[gone.length - n];
        for (int i = 0, j = 0; i < gone.length; i++) {
            if (gone[i]) {
                last[j] = n + j;
                order[n + j++] = i;
            }
        }
        return translation.add(operation.apply(last), translation.add(new TransposeOp(order), value));
    }
}
