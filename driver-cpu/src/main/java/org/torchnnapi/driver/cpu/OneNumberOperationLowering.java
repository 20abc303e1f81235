package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.Int32BinaryOp;

/**
 * ABS, NEG and LOGICAL_NOT: the opposite of each number, the difference of one from each flag, or the larger of a
 * number and its opposite.
 */
record OneNumberOperationLowering(int minuend, boolean absolute) implements OperationLowering {
    @Override
    public Problem typeRefusal(OperationView site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int x = translation.in(site, 0);
        ValueType type = site.type(0).withShape(1);
        int constant = type.element().bytes() == 1
                ? translation.constant(type, new byte[] {(byte) minuend})
                : translation.constant(type, new int[] {minuend});
        int difference = translation.add(new Int32BinaryOp(Int32BinaryOp.Function.SUB), constant, x);
        translation.result(
                site,
                0,
                absolute ? translation.add(new Int32BinaryOp(Int32BinaryOp.Function.MAX), x, difference) : difference);
    }
}
