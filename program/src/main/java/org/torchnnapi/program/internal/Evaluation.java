package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.Memory;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operand;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.Step;

/** Does one operation on constants, while a program is made. */
final class Evaluation {
    private Evaluation() {
    }

    /** The result's array, as its storage has it. */
    static Object of(Op op, Operands operands) {
        Operand out = operands.out();
        Object result = out.type().element().store().allocate(out.size());
        Operand place = new Operand(out.type(), out.storage(), result, 0);
        List<Operand> inputs = new ArrayList<>();
        for (Operand input : operands.inputs()) {
            inputs.add(new Operand(input.type(), input.storage(), input.constant(), 0));
        }
        Step step = op.compile(new Operands(inputs, place));
        KernelPool.shared().run(step.units(), step.binding().to(Memory.NONE));
        return result;
    }
}
