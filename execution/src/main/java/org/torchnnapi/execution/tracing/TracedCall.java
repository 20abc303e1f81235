package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.execution.tracing.lower.Lowered;
import org.torchnnapi.execution.tracing.lower.NotLoweredException;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/** Records what a lowering makes of one call. */
final class TracedCall implements Lowered {
    /** Of volumes and channels of slices, and back. */
    private static final TransposeOp SLICES_FIRST = new TransposeOp(new int[] {0, 2, 1, 3, 4});

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
        TensorGeometry made = TensorGeometry.of(geometry);
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

    @Override
    public Tensor slices(Tensor volumes) {
        return tracer.slices(volumes, () -> {
            int[] s = volumes.sizes();
            Tensor turned =
                    compute(SLICES_FIRST, Lowered.tensor(volumes.dtype(), null, s[0], s[2], s[1], s[3], s[4]), volumes);
            int[] batch = {s[0] * s[2], s[1], s[3], s[4]};
            return compute(new ReshapeOp(batch), Lowered.tensor(volumes.dtype(), null, batch), turned);
        });
    }

    @Override
    public boolean isSliced(Tensor volumes) {
        return tracer.isSliced(volumes);
    }

    @Override
    public Tensor volumes(Tensor slices, int count) {
        int[] s = slices.sizes();
        int[] each = {count, s[0] / count, s[1], s[2], s[3]};
        Tensor parted = compute(new ReshapeOp(each), Lowered.tensor(slices.dtype(), null, each), slices);
        Tensor volumes = compute(
                SLICES_FIRST,
                Lowered.tensor(slices.dtype(), null, each[0], each[2], each[1], each[3], each[4]),
                parted);
        tracer.slices(volumes, () -> slices);
        return volumes;
    }

    private static ValueType type(ValueType type, Tensor t) {
        if (type == null) {
            throw new NotLoweredException(
                    t + " (expected: float32, bool, whole numbers within 32 bits or bytes quantized per tensor)");
        }
        return type;
    }
}
