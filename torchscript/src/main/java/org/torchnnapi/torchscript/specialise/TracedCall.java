package org.torchnnapi.torchscript.specialise;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.aten.OperatorKernel;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.specialise.lower.Lowered;
import org.torchnnapi.torchscript.specialise.lower.NotLoweredException;

/** Records what a lowering makes of one call. */
final class TracedCall implements Lowered {
    private final Tracer tracer;
    private final Node node;
    private final OperatorKernel kernel;

    TracedCall(Tracer tracer, Node node, OperatorKernel kernel) {
        this.tracer = tracer;
        this.node = node;
        this.kernel = kernel;
    }

    @Override
    public boolean varies(Object value) {
        return tracer.isTraced(value);
    }

    @Override
    public Object kernel(Object... args) {
        return kernel.call(args.clone());
    }

    @Override
    public Tensor compute(Op op, Tensor geometry, Tensor... inputs) {
        int[] operands = new int[inputs.length];
        List<ValueType> types = new ArrayList<>(inputs.length);
        for (int i = 0; i < operands.length; i++) {
            operands[i] = tracer.value(inputs[i]);
            types.add(type(tracer.recording().type(operands[i]), inputs[i]));
        }
        Geometry made = Geometry.of(geometry);
        ValueType expected = type(ValueTypes.of(made), geometry);
        ValueType result = op.result(types);
        if (!result.equals(expected)) {
            throw new NotLoweredException(result + " (expected: " + expected + ")");
        }
        return tracer.name(geometry, tracer.recording().add(new Recording.Computed(node, op, operands), made, result));
    }

    @Override
    public Tensor same(Tensor geometry, Tensor source) {
        if (!Arrays.equals(geometry.sizes(), source.sizes())) {
            throw new NotLoweredException(geometry + " (expected: the sizes of " + source + ")");
        }
        return tracer.name(geometry, tracer.value(source));
    }

    private static ValueType type(ValueType type, Tensor t) {
        if (type == null) {
            throw new NotLoweredException(t + " (expected: float32, bool, whole numbers within 32 bits or bytes quantized per tensor)");
        }
        return type;
    }
}
