package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** A program bound to a memory; runs one execution at a time and allocates nothing. */
final class Run {
    private final Model model;
    private final Places places;
    private final Memory memory;
    private final KernelPool.Task[] tasks;
    private final int[] units;
    private final int[] inputs;
    private final int[] outputs;
    private final int[][] outputDimensions;

    Run(Program program) {
        model = program.model();
        places = program.places();
        try {
            memory = places.allocate();
        } catch (OutOfMemoryError e) {
            throw new NnapiException(ResultCode.OUT_OF_MEMORY, "values of the model (expected: to fit the heap)", e);
        }
        tasks = program.steps().stream().map(step -> step.binding().to(memory)).toArray(KernelPool.Task[]::new);
        units = program.steps().stream().mapToInt(Step::units).toArray();
        inputs = model.inputs();
        outputs = model.outputs();
        outputDimensions = new int[outputs.length][];
        for (int i = 0; i < outputs.length; i++) {
            outputDimensions[i] = model.output(i).descriptor().dimensions();
        }
    }

    void execute(ExecutionRequest request) {
        for (int i = 0; i < inputs.length; i++) {
            read(i, request.input(i));
        }
        KernelPool pool = KernelPool.shared();
        for (int i = 0; i < tasks.length; i++) {
            request.control().check();
            pool.run(units[i], tasks[i]);
        }
        int small = -1;
        for (int i = 0; i < outputs.length; i++) {
            boolean fits = write(i, request.output(i));
            request.reportOutput(i, outputDimensions[i], fits);
            small = fits ? small : i;
        }
        if (small >= 0) {
            throw new NnapiException(ResultCode.OUTPUT_INSUFFICIENT_SIZE, "output " + small + ": "
                    + (request.output(small) == null ? 0 : request.output(small).capacity()) + " elements (expected: "
                    + model.output(small).descriptor().elementCount() + ")");
        }
    }

    private void read(int position, Buffer data) {
        int operand = inputs[position];
        if (!places.has(operand)) {
            return;
        }
        int count = places.count(operand);
        if (data == null || data.capacity() < count) {
            throw new NnapiException(ResultCode.BAD_DATA, "input " + position + ": " + (data == null ? 0 : data.capacity())
                    + " elements (expected: " + count + ")");
        }
        if (data instanceof FloatBuffer floats) {
            floats.get(0, memory.floats(), places.offset(operand), count);
        } else {
            ((ByteBuffer) data).get(0, memory.bytes(), places.offset(operand), count);
        }
    }

    private boolean write(int position, Buffer data) {
        int operand = outputs[position];
        int count = places.count(operand);
        if (data == null || data.capacity() < count) {
            return false;
        }
        if (data instanceof FloatBuffer floats) {
            floats.put(0, memory.floats(), places.offset(operand), count);
        } else {
            ((ByteBuffer) data).put(0, memory.bytes(), places.offset(operand), count);
        }
        return true;
    }
}
