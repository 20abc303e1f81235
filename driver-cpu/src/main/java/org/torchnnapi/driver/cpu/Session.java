package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.tensor.MemoryLimit;

/**
 * A run of a program and what ties it to requests; one execution at a time, without allocating. The program computes in
 * floats of 32 bits: values of 16 bits are widened as they come and narrowed as they go.
 */
final class Session {
    private final Run run;
    private final Buffer[] inputs;
    private final Buffer[] outputs;
    private final int[][] outputDimensions;
    private final long[] inputCounts;
    private final long[] outputCounts;
    /** By input and output of 16-bit numbers what the program reads and writes instead; else null. */
    private final SixteenBits[] widenedIn;

    private final SixteenBits[] widenedOut;
    private final Runnable check = this::check;
    private ExecutionControl control;

    /** Takes the memory. @throws NnapiException OUT_OF_MEMORY if the heap has no room for it */
    static Session of(Model model, Program program) {
        try {
            return new Session(model, program);
        } catch (OutOfMemoryError e) {
            throw new NnapiException(
                    ResultCode.OUT_OF_MEMORY,
                    "values of the model: " + bytes(model, program) + " bytes (expected: to fit the heap)",
                    e);
        }
    }

    /** @throws NnapiException OUT_OF_MEMORY if {@link MemoryLimit} does not allow what a session takes */
    static void checkMemory(Model model, Program program) {
        long bytes = bytes(model, program);
        if (!MemoryLimit.allows(bytes)) {
            throw new NnapiException(ResultCode.OUT_OF_MEMORY, MemoryLimit.refusal("values of the model", bytes));
        }
    }

    private static long bytes(Model model, Program program) {
        long bytes = program.arenaBytes();
        for (int i = 0; i < model.inputCount(); i++) {
            bytes += program.usesInput(i) ? SixteenBits.bytes(model.input(i).descriptor()) : 0;
        }
        for (int i = 0; i < model.outputCount(); i++) {
            bytes += SixteenBits.bytes(model.output(i).descriptor());
        }
        return bytes;
    }

    private Session(Model model, Program program) {
        run = program.newRun();
        inputs = new Buffer[model.inputCount()];
        inputCounts = new long[inputs.length];
        widenedIn = new SixteenBits[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            inputCounts[i] = program.usesInput(i) ? model.input(i).descriptor().elementCount() : 0;
            widenedIn[i] = inputCounts[i] > 0 ? SixteenBits.of(model.input(i).descriptor()) : null;
        }
        outputs = new Buffer[model.outputCount()];
        outputDimensions = new int[outputs.length][];
        outputCounts = new long[outputs.length];
        widenedOut = new SixteenBits[outputs.length];
        for (int i = 0; i < outputs.length; i++) {
            outputDimensions[i] = model.output(i).descriptor().dimensions();
            outputCounts[i] = model.output(i).descriptor().elementCount();
            widenedOut[i] = SixteenBits.of(model.output(i).descriptor());
        }
    }

    void execute(ExecutionRequest request) {
        control = request.control();
        try {
            int small = bind(request);
            long start = request.isTimed() ? System.nanoTime() : 0;
            run.execute(inputs, outputs, check);
            if (request.isTimed()) {
                request.reportHardwareNanos(System.nanoTime() - start);
            }
            for (int i = 0; i < outputs.length; i++) {
                if (widenedOut[i] != null && outputs[i] != null) {
                    widenedOut[i].narrow((ShortBuffer) request.output(i));
                }
                request.reportOutput(i, outputDimensions[i], outputs[i] != null);
            }
            if (small >= 0) {
                throw new NnapiException(
                        ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                        "output " + small + ": "
                                + (request.output(small) == null
                                        ? 0
                                        : request.output(small).capacity()) + " elements (expected: "
                                + outputCounts[small] + ")");
            }
        } finally {
            control = null;
            Arrays.fill(inputs, null);
            Arrays.fill(outputs, null);
        }
    }

    void profile() {
        run.profile();
    }

    /** What each step of the program took since {@link #profile}. */
    long[] nanos() {
        return run.nanos();
    }

    /** An output whose buffer is too small, and is left out; -1 if there is none. */
    private int bind(ExecutionRequest request) {
        for (int i = 0; i < inputs.length; i++) {
            inputs[i] = request.input(i);
            if (inputCounts[i] > 0 && (inputs[i] == null || inputs[i].capacity() < inputCounts[i])) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "input " + i + ": " + (inputs[i] == null ? 0 : inputs[i].capacity()) + " elements (expected: "
                                + inputCounts[i] + ")");
            }
            if (widenedIn[i] != null) {
                inputs[i] = widenedIn[i].widened((ShortBuffer) inputs[i]);
            }
        }
        int small = -1;
        for (int i = 0; i < outputs.length; i++) {
            Buffer data = request.output(i);
            boolean fits = data != null && data.capacity() >= outputCounts[i];
            outputs[i] = !fits ? null : widenedOut[i] == null ? data : widenedOut[i].floats();
            small = fits ? small : i;
        }
        return small;
    }

    private void check() {
        control.check();
    }
}
