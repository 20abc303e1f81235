package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.RunMemory;
import org.torchnnapi.program.Step;

/** Does one operation on constants, while a program is made. */
final class ConstantEvaluation {
    private ConstantEvaluation() {}

    /** The result's array, as its storage has it. */
    static Object of(Op op, Operands operands) {
        PlacedValue out = operands.out();
        Object result = out.type().element().store().allocate(out.size());
        PlacedValue place = new PlacedValue(out.type(), out.storage(), result, 0);
        List<PlacedValue> inputs = new ArrayList<>();
        for (PlacedValue input : operands.inputs()) {
            inputs.add(new PlacedValue(input.type(), input.storage(), input.constant(), 0));
        }
        Step step = op.compile(new Operands(inputs, place));
        KernelPool.shared().run(step.units(), step.binding().to(RunMemory.NONE));
        return result;
    }
}
