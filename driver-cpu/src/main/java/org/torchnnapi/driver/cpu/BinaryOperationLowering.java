package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.QuantizedSum;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.QuantizedAddOp;

/**
 * A function of two elements with NumPy's broadcasting: by kernel in float, by the rule for sums or by table in bytes.
 */
record BinaryOperationLowering(BinaryOp op) implements OperationLowering {
    private static final int ACTIVATION = OperationView.input(OperationType.ADD, "activation");

    @Override
    public Problem typeRefusal(OperationView site) {
        return OperationView.first(site.typeProblem(0), site.typeProblem(1));
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input >= ACTIVATION;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        if (DefinitionTable.isUnary(site)) {
            translation.result(site, DefinitionTable.lookUp(site), translation.in(site, 0));
            return;
        }
        FusedActivation activation =
                site.inputs() > ACTIVATION ? FusedActivation.ofCode(site.intValue(ACTIVATION)) : FusedActivation.NONE;
        translation.result(
                site,
                site.isFloat()
                        ? new BinaryMathOp(op, OperationView.clamp(activation.ordinal()))
                        : quantized(site, activation),
                translation.in(site, 0),
                translation.in(site, 1));
    }

    private Op quantized(OperationView site, FusedActivation activation) {
        boolean alike = Arrays.equals(site.in(0).dimensions(), site.in(1).dimensions());
        if (!alike || op != BinaryOp.ADD && op != BinaryOp.SUB) {
            return new BinaryTableOp(DefinitionTable.binary(site), site.outQuantization());
        }
        ValueType a = site.type(0);
        ValueType b = site.type(1);
        ByteQuantization out = site.outQuantization();
        boolean subtract = op == BinaryOp.SUB;
        boolean fixed = !subtract && QuantizedSum.isFixedPoint(a.scale(), b.scale(), out.scale());
        int low = site.low(activation);
        int high = site.high(activation);
        boolean signed = site.isSigned();
        return new QuantizedAddOp(
                fixed
                        ? QuantizedSum.fixedPoint(
                                a.scale(),
                                a.zeroPoint(),
                                b.scale(),
                                b.zeroPoint(),
                                false,
                                out.scale(),
                                out.zeroPoint(),
                                signed,
                                low,
                                high)
                        : QuantizedSum.halfEven(
                                a.scale(),
                                a.zeroPoint(),
                                b.scale(),
                                b.zeroPoint(),
                                subtract,
                                out.scale(),
                                out.zeroPoint(),
                                signed,
                                low,
                                high),
                out);
    }
}
