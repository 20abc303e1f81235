package org.torchnnapi.execution.tracing;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.execution.interp.StageTime;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;

/** A program with the tensors it reads and makes. */
final class ProgramStage implements CompiledStages.Stage {
    /** A value at the program's edge: its number, how its tensor lies, dense, and the format that this is. */
    record Port(int value, TensorGeometry geometry, MemoryFormat format) {
        Port(int value, TensorGeometry geometry) {
            this(value, geometry, geometry.format());
        }

        /** A tensor of this value's, dense. */
        Tensor dense(Tensor t) {
            return geometry.fits(t) ? t : t.contiguous(format);
        }
    }

    private final Program program;
    private final List<NodeCall> calls;
    private final List<Port> inputs;
    private final List<Port> outputs;
    /** What each step took; null while nothing is measured. */
    private volatile AtomicLongArray nanos;

    /** @param calls by node of the program's graph the method's call that it is of */
    ProgramStage(Program program, List<NodeCall> calls, List<Port> inputs, List<Port> outputs) {
        this.program = program;
        this.calls = calls;
        this.inputs = inputs;
        this.outputs = outputs;
    }

    @Override
    public void run(Tensor[] values, Workspaces.Held workspace) {
        Buffer[] in = new Buffer[inputs.size()];
        for (int i = 0; i < in.length; i++) {
            Port port = inputs.get(i);
            in[i] = read(port.dense(values[port.value()]));
        }
        Buffer[] out = new Buffer[outputs.size()];
        for (int i = 0; i < out.length; i++) {
            Port port = outputs.get(i);
            Tensor made = port.geometry().zeros();
            values[port.value()] = made;
            out[i] = buffer(made);
        }
        Run run = workspace.run(program);
        AtomicLongArray measured = nanos;
        if (measured != null) {
            run.profile();
        }
        try {
            run.execute(in, out, Interpreter::checkInterrupt);
        } catch (ArithmeticException e) {
            throw new NotSpecialisedException("numbers beyond 32 bits: " + e.getMessage());
        }
        if (measured != null) {
            long[] steps = run.nanos();
            for (int i = 0; i < steps.length; i++) {
                measured.addAndGet(i, steps[i]);
            }
        }
        for (int i = 0; i < out.length; i++) {
            Tensor made = values[outputs.get(i).value()];
            if (made.dtype() == DType.INT64) {
                widen((IntBuffer) out[i], made.storage().longArray());
            }
        }
    }

    /** What an input is read from; wide numbers are copied. */
    private static Buffer read(Tensor dense) {
        if (dense.dtype() != DType.INT64) {
            return buffer(dense);
        }
        long[] wide = dense.storage().longArray();
        int[] narrow = new int[(int) dense.numel()];
        for (int i = 0; i < narrow.length; i++) {
            long value = wide[dense.offset() + i];
            narrow[i] = (int) value;
            if (narrow[i] != value) {
                throw new NotSpecialisedException("numbers beyond 32 bits: " + value);
            }
        }
        return IntBuffer.wrap(narrow);
    }

    private static void widen(IntBuffer narrow, long[] wide) {
        for (int i = 0; i < wide.length; i++) {
            wide[i] = narrow.get(i);
        }
    }

    private static Buffer buffer(Tensor dense) {
        int count = (int) dense.numel();
        // Programs count from the first element, wherever the buffer's position is.
        return switch (dense.dtype()) {
            case FLOAT32 ->
                FloatBuffer.wrap(dense.storage().floatArray(), dense.offset(), count)
                        .slice();
            case INT32 ->
                IntBuffer.wrap(dense.storage().intArray(), dense.offset(), count)
                        .slice();
            case INT64 -> IntBuffer.allocate(count);
            default ->
                ByteBuffer.wrap(dense.storage().byteArray(), dense.offset(), count)
                        .slice();
        };
    }

    @Override
    public void profile() {
        nanos = new AtomicLongArray(program.labels().size());
    }

    @Override
    public List<StageTime> stepTimes() {
        List<StageTime> times = new ArrayList<>();
        AtomicLongArray measured = nanos;
        for (int i = 0; measured != null && i < measured.length(); i++) {
            times.add(new StageTime(program.labels().get(i), true, measured.get(i), program.origins(i, calls)));
        }
        return times;
    }

    @Override
    public long weights() {
        return program.packedBytes();
    }

    @Override
    public List<String> describe() {
        return program.describe();
    }
}
