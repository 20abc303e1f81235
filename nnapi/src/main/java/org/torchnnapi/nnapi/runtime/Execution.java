package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.ExtensionAttribute;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.platform.Streams;

/**
 * One run of a compilation: bind every input and output, compute, then read shapes and durations. Buffers belong to the
 * execution until it has ended. As in the specification it computes once, unless it is reusable. Not thread-safe but
 * for {@link #cancel}.
 */
public final class Execution implements AutoCloseable {
    private enum State {
        PREPARATION,
        COMPUTATION,
        COMPLETED
    }

    /** The specification's longest loop timeout. */
    private static final Duration MAX_LOOP_TIMEOUT = Duration.ofSeconds(15);

    private final Compilation compilation;
    private final Model model;
    private final ExecutionRequest request;
    private final boolean[] inputBound;
    private final boolean[] outputBound;
    private final Memory[] inputMemory;
    private final Memory[] outputMemory;
    private final ExecutionControl control = new ExecutionControl();
    private volatile State state = State.PREPARATION;
    private volatile boolean closed;
    private boolean reusable;
    private long timeoutNanos;
    private long fencedNanos = -1;

    Execution(Compilation compilation) {
        this.compilation = compilation;
        model = compilation.model();
        request = new ExecutionRequest(model);
        request.control(control);
        inputBound = new boolean[model.inputCount()];
        outputBound = new boolean[model.outputCount()];
        inputMemory = new Memory[inputBound.length];
        outputMemory = new Memory[outputBound.length];
    }

    /** Lets the execution compute more than once, one after the other. */
    public void setReusable(boolean mayRepeat) {
        requirePreparation("setReusable");
        reusable = mayRepeat;
    }

    /**
     * Binds an input.
     *
     * @param data typed buffer or raw little-endian bytes from position to limit, at least as long as the value; null
     *     leaves an optional input out
     * @param dimensions the shape, where the model leaves it open; else none
     * @throws NnapiException BAD_DATA if position, buffer or shape do not fit the model; BAD_STATE once computed
     */
    public void setInput(int position, Buffer data, int... dimensions) {
        requirePreparation("setInput");
        request.setInput(position, data, dimensions);
        if (data != null) {
            requireRoom(position, dimensions);
        }
        inputBound[position] = true;
        inputMemory[position] = swap(inputMemory[position], null);
    }

    private void requireRoom(int position, int[] dimensions) {
        OperandDescriptor operand = model.input(position).descriptor();
        if (dimensions != null && dimensions.length > 0) {
            operand = operand.withDimensions(dimensions);
        } else if (!operand.isFullySpecified()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "input " + position + ": " + operand + " (expected: all dimensions given)");
        }
        for (int dimension : operand.dimensions()) {
            if (dimension < 0) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "dimensions of input " + position + ": " + Arrays.toString(dimensions) + " (expected: >= 0)");
            }
        }
        int elements = request.input(position).capacity();
        long needed = operand.extension() == null ? operand.elementCount() : operand.byteCount();
        if (elements < needed) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "input " + position + ": " + elements + " elements (expected: " + needed + ")");
        }
    }

    /**
     * Binds an output.
     *
     * @param data typed buffer or raw bytes to be written little-endian from position on
     * @throws NnapiException BAD_DATA if position or buffer do not fit the model; BAD_STATE once computed
     */
    public void setOutput(int position, Buffer data) {
        requirePreparation("setOutput");
        if (data != null && data.isReadOnly()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "output " + position + ": a read-only buffer (expected: writable)");
        }
        request.setOutput(position, data);
        outputBound[position] = true;
        outputMemory[position] = swap(outputMemory[position], null);
    }

    /**
     * Binds an input to a part of a memory. For a memory made for roles offset and length are 0: the whole.
     *
     * @throws NnapiException BAD_DATA if the range, or the memory's role, does not fit
     */
    public void setInputFromMemory(int position, Memory memory, long offset, long length, int... dimensions) {
        requirePreparation("setInputFromMemory");
        int[] shape = memory.checkInput(compilation, position, dimensions);
        DeviceBuffer owned = memory.deviceBuffer(compilation, true, position);
        if (owned != null && owned.host() == null) {
            memory.region(offset, length);
            request.passInput(
                    position, OperandBuffers.allocate(model.input(position).type(), 0), shape);
            inputBound[position] = true;
        } else {
            setInput(position, memory.region(offset, length), shape);
        }
        request.passInputBuffer(position, owned, offset);
        inputMemory[position] = swap(inputMemory[position], memory);
    }

    /**
     * Binds an output to a part of a memory. For a memory made for roles offset and length are 0: the whole.
     *
     * @param dimensions what is known of the output's shape, which that of a memory made for roles must not contradict;
     *     else none
     * @throws NnapiException BAD_DATA if the range, or the memory's role or shape, does not fit
     */
    public void setOutputFromMemory(int position, Memory memory, long offset, long length, int... dimensions) {
        requirePreparation("setOutputFromMemory");
        memory.checkOutput(compilation, position, dimensions);
        DeviceBuffer owned = memory.deviceBuffer(compilation, false, position);
        if (owned != null && owned.host() == null) {
            memory.region(offset, length);
            request.passOutput(
                    position, OperandBuffers.allocate(model.output(position).type(), 0));
            outputBound[position] = true;
        } else {
            setOutput(position, memory.region(offset, length));
        }
        request.passOutputBuffer(position, owned, offset);
        outputMemory[position] = swap(outputMemory[position], memory);
    }

    /** Holds one memory in place of another; either may be null. */
    private static Memory swap(Memory old, Memory held) {
        if (held != null) {
            held.hold();
        }
        if (old != null) {
            old.letGo();
        }
        return held;
    }

    private void releaseMemories() {
        for (int i = 0; i < inputMemory.length; i++) {
            inputMemory[i] = swap(inputMemory[i], null);
        }
        for (int i = 0; i < outputMemory.length; i++) {
            outputMemory[i] = swap(outputMemory[i], null);
        }
    }

    /** How long the execution may take from when it is started; ends in MISSED_DEADLINE. */
    public void setTimeout(Duration timeout) {
        requirePreparation("setTimeout");
        timeoutNanos = CompilationBuilder.requirePositive(timeout);
    }

    /** How long one WHILE may take: 2 s unless set, 15 s at most. */
    public void setLoopTimeout(Duration timeout) {
        requirePreparation("setLoopTimeout");
        control.loopTimeoutNanos(Math.min(CompilationBuilder.requirePositive(timeout), MAX_LOOP_TIMEOUT.toNanos()));
    }

    /**
     * Tells the one device that the compilation was made for something that an extension of its defines.
     *
     * @param data copied; null for none
     * @throws NnapiException BAD_DATA if there is no such device, it lacks the extension, or the code was given already
     */
    public void addExtensionAttribute(ExtensionCode code, byte[] data) {
        requirePreparation("addExtensionAttribute");
        ExtensionAttribute attribute = new ExtensionAttribute(code, data);
        attribute.requireFor(compilation.onlyDriver(), request.attributes());
        List<ExtensionAttribute> attributes = new ArrayList<>(request.attributes());
        attributes.add(attribute);
        request.attributes(attributes);
    }

    /** Whether the execution shall measure how long it takes. */
    public void setMeasureTiming(boolean measure) {
        requirePreparation("setMeasureTiming");
        request.timed(measure);
    }

    /**
     * Computes and waits for the end.
     *
     * @throws NnapiException OUTPUT_INSUFFICIENT_SIZE if a buffer is too small ({@link #outputDimensions} says what it
     *     needs), MISSED_DEADLINE_TRANSIENT past a timeout, BAD_DATA or OP_FAILED by an operation, BAD_STATE once
     *     computed
     */
    public void compute() {
        start("compute");
        runStarted(null);
    }

    /** Computes within a burst. */
    public void burstCompute(Burst burst) {
        if (burst.compilation() != compilation) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "burst: of another compilation (expected: of this execution's)");
        }
        burst.enter();
        try {
            start("burstCompute");
            runStarted(burst);
        } finally {
            burst.leave();
        }
    }

    /** Starts to compute on another thread. */
    public Event startCompute() {
        return startComputeWithDependencies(List.of(), null);
    }

    /**
     * Starts to compute once other executions have ended; if one of them fails, so does this.
     *
     * @param duration how long it may take from then on, or null
     */
    public Event startComputeWithDependencies(List<Event> dependencies, Duration duration) {
        long durationNanos = duration == null ? 0 : CompilationBuilder.requirePositive(duration);
        start("startCompute");
        if (durationNanos == 0 && timeoutNanos == 0 && compilation.takesFences()) {
            return startBehind(dependencies);
        }
        long begun = System.nanoTime();
        CompletableFuture<?>[] before =
                dependencies.stream().map(d -> d.completion).toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> completion = CompletableFuture.allOf(before)
                .handleAsync(
                        (nothing, failure) -> {
                            if (failure != null) {
                                state = State.COMPLETED;
                                throw new NnapiException(
                                        ResultCode.OP_FAILED,
                                        "dependency: failed (expected: an execution that ends well)",
                                        failure);
                            }
                            if (durationNanos > 0) {
                                long end = System.nanoTime() + durationNanos;
                                if (!control.hasDeadline() || end - control.deadline() < 0) {
                                    control.deadline(end);
                                }
                            }
                            runStarted(null);
                            fencedNanos = System.nanoTime() - begun;
                            return null;
                        },
                        Threads.executor());
        return new Event(completion);
    }

    /** Leaves the wait for other executions to the device. */
    private Event startBehind(List<Event> dependencies) {
        long begun = System.nanoTime();
        CompletableFuture<Fence> fence = new CompletableFuture<>();
        CompletableFuture<Void> completion = CompletableFuture.runAsync(
                () -> {
                    boolean done = false;
                    try {
                        requireInitialized();
                        compilation.executeBehind(
                                request,
                                dependencies.stream().map(Event::fence).collect(Streams.toList()),
                                fence::complete);
                        fencedNanos = System.nanoTime() - begun;
                        done = true;
                    } finally {
                        fence.complete(Fence.SIGNALED);
                        ended(done);
                    }
                },
                Threads.executor());
        return new Event(completion, fence);
    }

    private void start(String call) {
        if (state == State.COMPUTATION || state == State.COMPLETED && !reusable) {
            throw new NnapiException(
                    ResultCode.BAD_STATE,
                    call + ": " + (state == State.COMPLETED ? "computed already" : "computing")
                            + " (expected: one computation, or a reusable execution)");
        }
        for (int i = 0; i < inputBound.length; i++) {
            if (!inputBound[i]) {
                throw new NnapiException(ResultCode.BAD_DATA, "input " + i + ": not set (expected: setInput)");
            }
        }
        for (int i = 0; i < outputBound.length; i++) {
            if (!outputBound[i]) {
                throw new NnapiException(ResultCode.BAD_DATA, "output " + i + ": not set (expected: setOutput)");
            }
        }
        if (state == State.COMPLETED) {
            control.renew();
        }
        if (timeoutNanos > 0) {
            control.deadline(System.nanoTime() + timeoutNanos);
        }
        state = State.COMPUTATION;
    }

    private void requireInitialized() {
        for (int i = 0; i < inputMemory.length; i++) {
            if (inputMemory[i] != null) {
                inputMemory[i].requireInitialized(i);
            }
        }
    }

    /** @param burst null outside of one */
    private void runStarted(Burst burst) {
        boolean done = false;
        try {
            requireInitialized();
            if (burst == null) {
                compilation.execute(request);
            } else {
                burst.execute(request);
            }
            done = true;
        } finally {
            ended(done);
        }
    }

    /** Tells the memories what became of them. */
    private void ended(boolean done) {
        try {
            for (int i = 0; i < outputMemory.length; i++) {
                if (outputMemory[i] != null) {
                    outputMemory[i].written(done, request.outputDimensions(i));
                }
            }
        } finally {
            state = State.COMPLETED;
            if (closed) {
                releaseMemories();
            }
        }
    }

    /**
     * The shape of an output, also of one that had too little room.
     *
     * @throws NnapiException BAD_STATE before the end, BAD_DATA if the shape is not known because an earlier operation
     *     failed
     */
    public int[] outputDimensions(int position) {
        if (state != State.COMPLETED) {
            throw new NnapiException(
                    ResultCode.BAD_STATE, "outputDimensions: not computed (expected: after the execution)");
        }
        if (position < 0 || position >= outputBound.length) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "output: " + position + " (expected: 0 to " + (outputBound.length - 1) + ")");
        }
        int[] dimensions = request.outputDimensions(position);
        if (dimensions == null) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "output " + position + ": shape not known (expected: an execution that came so far)");
        }
        return dimensions.clone();
    }

    /** Whether the output's buffer had room for the value. */
    public boolean isOutputSufficient(int position) {
        return request.isOutputSufficient(position);
    }

    /** Nanoseconds the hardware worked; -1 if the device cannot tell, or timing was not asked for. */
    public long hardwareNanos() {
        return request.hardwareNanos();
    }

    /** Nanoseconds in drivers, hardware included; -1 if timing was not asked for. */
    public long driverNanos() {
        return request.driverNanos();
    }

    /**
     * Nanoseconds from the start of a fenced execution to its end, waiting for dependencies included; -1 if it was not
     * fenced.
     */
    public long fencedNanos() {
        return request.isTimed() ? fencedNanos : -1;
    }

    /**
     * Asks the computation to stop at the next opportunity; it ends in OP_FAILED. The next one of a reusable execution
     * is not concerned. Safe from any thread.
     */
    public void cancel() {
        control.cancel();
    }

    private void requirePreparation(String call) {
        if (state == State.COMPUTATION || state == State.COMPLETED && !reusable) {
            throw new NnapiException(
                    ResultCode.BAD_STATE,
                    call + ": " + (state == State.COMPLETED ? "computed already" : "computing")
                            + " (expected: before the computation)");
        }
    }

    /** Lets go of buffers; a computation still running is cancelled. */
    @Override
    public void close() {
        closed = true;
        if (state == State.COMPUTATION) {
            control.cancel();
        } else {
            releaseMemories();
        }
    }
}
