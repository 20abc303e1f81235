package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.DequantizeOp;

/** DEQUANTIZE of bytes of one scale, or of one a channel. */
final class DequantizeOperationLowering implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        OperandType type = site.in(0).type();
        boolean symmetric =
                type == OperandType.TENSOR_QUANT8_SYMM || type == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL;
        Problem problem = symmetric ? null : site.typeProblem(0);
        if (problem == null && (site.isFloat() || !site.out().type().isFloat())) {
            problem = Problem.of(
                    "types",
                    site.in(0).type() + " to " + site.out().type(),
                    "8-bit to TENSOR_FLOAT32 or TENSOR_FLOAT16");
        }
        return problem;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int steps = translation.add(new DequantizeOp(), translation.in(site, 0));
        ChannelQuantization channels = site.in(0).channelQuantization();
        if (channels != null) {
            int[] shape = new int[site.in(0).rank()];
            Arrays.fill(shape, 1);
            shape[channels.channelDim()] = channels.channels();
            steps = translation.add(
                    BinaryMathOp.of(BinaryOp.MUL),
                    steps,
                    translation.constant(ValueType.floats(shape), channels.scales()));
        }
        translation.result(site, 0, steps);
    }
}
