package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.IntegersOp;

/** ABS, NEG and LOGICAL_NOT: the opposite of each number, the difference of one from each flag, or the larger of a number and its opposite. */
record OneNumberKind(int minuend, boolean absolute) implements Kind {
    @Override
    public Problem typeRefusal(Site site) {
        return site.anyTypeProblem(0);
    }

    @Override
    public void translate(Site site, Translation translation) {
        int x = translation.in(site, 0);
        ValueType type = site.type(0).withShape(1);
        int constant = type.element().bytes() == 1 ? translation.constant(type, new byte[] {(byte) minuend})
                : translation.constant(type, new int[] {minuend});
        int difference = translation.add(new IntegersOp(IntegersOp.Function.SUB), constant, x);
        translation.result(site, 0, absolute ? translation.add(new IntegersOp(IntegersOp.Function.MAX), x, difference) : difference);
    }
}
