package org.torchnnapi.converter.compat;

import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;

/** {@code aten::mean} over given dimensions. */
final class CompatMeanLowering implements CompatLoweringFamily {
    @Override
    public void register(Registrar registrar) {
        registrar.lowering("aten::mean", 1, CompatMeanLowering::mean);
    }

    private static void mean(Node node, CompatLoweringContext context) {
        CompatLoweringContext.Ref in = context.fixedOperand(node.input(0));
        TensorOperand operand = in.operand();
        if (node.inputs().size() != 4) {
            throw new Refused(
                    "mean must name its dimensions",
                    "a mean over all elements",
                    "mean(dim, keepdim)",
                    "list the dimensions, for example mean((2, 3))");
        }
        int[] dimensions = context.intsConstant(node.input(1));
        boolean keep = context.boolConstant(node.input(2));
        if (!context.isNone(node.input(3))) {
            throw new Refused("mean keeps the dtype", "a dtype argument", "None", "cast outside the model");
        }
        Set<Integer> collapsed = new TreeSet<>();
        int[] axes = new int[dimensions.length];
        boolean nhwc = operand.layout() == OperandLayout.CHANNELS_LAST;
        for (int i = 0; i < dimensions.length; i++) {
            int d = CompatReshapeLowering.dimension(dimensions[i], operand.rank());
            collapsed.add(d);
            axes[i] = nhwc ? operand.layout().toNnapi(d) : dimensions[i];
        }
        if (collapsed.isEmpty() || !keep && collapsed.size() == operand.rank()) {
            throw new Refused(
                    "a mean must leave a tensor of known rank",
                    "a mean over all " + operand.rank() + " dimensions",
                    "some, not all dimensions",
                    "keep the dimensions (keepdim=True)");
        }
        if (nhwc && !keep && !(collapsed.contains(2) && collapsed.contains(3))) {
            throw new Refused(
                    "a mean that drops dimensions of an NHWC tensor must drop height and width",
                    "dimensions " + collapsed,
                    "2 and 3 among them",
                    "keep the dimensions (keepdim=True)");
        }
        int[] shape = new int[keep ? operand.rank() : operand.rank() - collapsed.size()];
        int at = 0;
        for (int d = 0; d < operand.rank(); d++) {
            if (!collapsed.contains(d)) {
                shape[at++] = operand.size(d);
            } else if (keep) {
                shape[at++] = 1;
            }
        }
        TensorOperand out =
                operand.withShape(shape).withLayout(nhwc && keep ? operand.layout() : OperandLayout.CONTIGUOUS);
        ModelAssembler model = context.model();
        context.emit(node.output(), OperationType.MEAN, out, in.id(), model.vector(axes), model.int32(keep ? 1 : 0));
    }
}
