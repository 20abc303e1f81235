package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;

/** An execution. Methods return codes; see the NDK's reference for each. */
final class ExecutionHandle extends Handle {
    private enum State { PREPARATION, COMPUTATION, COMPLETED }

    /** A duration that is not known. */
    private static final long UNKNOWN = -1L;
    private static final int INSUFFICIENT = ResultCode.OUTPUT_INSUFFICIENT_SIZE.code();

    private final CompilationHandle compilation;
    private final Model model;
    /** Null where the compilation says that every execution fails. */
    private final Execution execution;
    private final boolean[] inputSet;
    private final boolean[] outputSet;
    /** By output, what its type says of its shape; null where no type was given or the output is left out. */
    private final OperandDescriptor[] outputTypes;
    private final List<Requantizer> requantizers = new ArrayList<>(0);
    private volatile State state = State.PREPARATION;
    private boolean bound;
    private boolean padding;
    private boolean reusable;
    private boolean timed;
    private boolean fenced;
    private long timeoutNanos;
    private int completion;
    private long fencedNanos;

    private ExecutionHandle(CompilationHandle compilation) {
        this.compilation = compilation;
        execution = compilation.createExecution();
        model = compilation.model();
        inputSet = new boolean[model.inputCount()];
        outputSet = new boolean[model.outputCount()];
        outputTypes = new OperandDescriptor[outputSet.length];
        need(compilation);
    }

    static long create(long compilationId) {
        try {
            return new ExecutionHandle(get(compilationId, CompilationHandle.class)).id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    /** Without effect while the execution computes: its buffers are in use. */
    static void free(long id) {
        ExecutionHandle handle = find(id, ExecutionHandle.class);
        if (handle != null && handle.state != State.COMPUTATION) {
            handle.free();
        }
    }

    @Override
    void dispose() {
        if (execution != null) {
            execution.close();
        }
    }

    private static ExecutionHandle open(long id, String call) {
        ExecutionHandle handle = get(id, ExecutionHandle.class);
        if (handle.state != State.PREPARATION) {
            throw Answer.badState(call + ": " + (handle.state == State.COMPUTATION ? "computing" : "computed already") + " (expected: before the computation)");
        }
        return handle;
    }

    /** Passes a call on where there is an execution to take it. */
    private void ask(Consumer<Execution> call) {
        if (execution != null) {
            call.accept(execution);
        }
    }

    private static void requirePosition(String what, int index, int count) {
        if (index < 0 || index >= count) {
            throw Answer.bad(what + ": " + index + " (expected: 0 to " + (count - 1) + ")");
        }
    }

    /**
     * The operand with the type that a call gives for it.
     *
     * @param dimensions null where the call gives no type
     */
    private static OperandDescriptor typed(String what, OperandDescriptor declared, int type, int[] dimensions) {
        if (dimensions == null) {
            return declared;
        }
        boolean fits = type == ExtensionCodes.typeNumber(declared);
        fits &= declared.type().isTensor() ? declared.rank() == 0 || declared.rank() == dimensions.length : dimensions.length == 0;
        for (int i = 0; fits && i < declared.rank(); i++) {
            fits = declared.dimension(i) == 0 || declared.dimension(i) == dimensions[i];
        }
        for (int i = 0; fits && i < dimensions.length; i++) {
            fits = dimensions[i] >= 0;
        }
        OperandDescriptor given = declared.withDimensions(dimensions);
        if (!fits) {
            throw Answer.bad(what + ": type " + type + " " + given + " (expected: as declared, " + declared + ")");
        }
        return given;
    }

    /** What is to be read in place of an input that has not the operand's scale and zero point; else the input itself. */
    private ByteBuffer requantized(OperandDescriptor operand, float scale, int zeroPoint, ByteBuffer bytes) {
        Requantizer requantizer = Requantizer.of(operand, scale, zeroPoint, bytes);
        if (requantizer == null) {
            return bytes;
        }
        requantizers.add(requantizer);
        return requantizer.result();
    }

    /** The shape of an input where the model leaves it open; none where it is settled. */
    private int[] open(int input, int[] dimensions) {
        return model.input(input).descriptor().isFullySpecified() ? null : dimensions;
    }

    private void requireLength(String what, OperandDescriptor operand, long length) {
        long needed = operand.byteCount();
        if (needed != 0 && (padding ? length < needed : length != needed)) {
            throw Answer.bad(what + ": " + length + " bytes (expected: " + needed + (padding ? " or more)" : ")"));
        }
    }

    /** @param buffer over the caller's memory; null leaves the input out */
    static int setInput(long id, int index, int type, int[] dimensions, float scale, int zeroPoint, ByteBuffer buffer) {
        try {
            ExecutionHandle handle = open(id, "setInput");
            requirePosition("input", index, handle.inputSet.length);
            OperandDescriptor operand = typed("input " + index, handle.compilation.input(index), type, dimensions);
            handle.requireUnset("input", index, handle.inputSet);
            if (buffer != null) {
                handle.requireKnown(index, operand);
                handle.requireLength("input " + index, operand, buffer.capacity());
            }
            ByteBuffer read = handle.requantized(operand, dimensions == null ? 0 : scale, zeroPoint, buffer);
            handle.ask(e -> e.setInput(index, read, handle.open(index, dimensions)));
            handle.inputSet[index] = true;
            handle.bound = true;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    private void requireKnown(int index, OperandDescriptor operand) {
        if (!operand.isFullySpecified()) {
            throw Answer.bad("input " + index + ": " + operand + " (expected: all dimensions given)");
        }
    }

    private void requireUnset(String what, int index, boolean[] set) {
        if (set[index]) {
            throw Answer.badState(what + " " + index + ": set already (expected: once)");
        }
    }

    static int setInputFromMemory(long id, int index, int type, int[] dimensions, float scale, int zeroPoint, long memoryId, long offset,
                                  long length) {
        try {
            ExecutionHandle handle = open(id, "setInputFromMemory");
            requirePosition("input", index, handle.inputSet.length);
            OperandDescriptor operand = typed("input " + index, handle.compilation.input(index), type, dimensions);
            MemoryHandle memory = get(memoryId, MemoryHandle.class);
            if (memory.chosen() != null) {
                requireWhole(offset, length);
                handle.requireUnset("input", index, handle.inputSet);
                handle.ask(e -> e.setInputFromMemory(index, memory.chosen(), 0, 0, dimensions));
            } else {
                handle.requireKnown(index, operand);
                ByteBuffer bytes = memory.bytes(offset, length);
                handle.requireLength("input " + index, operand, length);
                handle.requireUnset("input", index, handle.inputSet);
                ByteBuffer read = handle.requantized(operand, dimensions == null ? 0 : scale, zeroPoint, bytes);
                if (read == bytes && memory.described() != null) {
                    handle.ask(e -> e.setInputFromMemory(index, memory.described(), offset, length, handle.open(index, dimensions)));
                } else {
                    handle.ask(e -> e.setInput(index, read, handle.open(index, dimensions)));
                }
            }
            handle.need(memory);
            handle.inputSet[index] = true;
            handle.bound = true;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    private static void requireWhole(long offset, long length) {
        if (offset != 0 || length != 0) {
            throw Answer.bad("offset " + offset + ", length " + length + " of a memory of certain roles (expected: 0, 0: the whole)");
        }
    }

    /** @param buffer over the caller's memory; null leaves the output out */
    static int setOutput(long id, int index, int type, int[] dimensions, float scale, int zeroPoint, ByteBuffer buffer) {
        try {
            ExecutionHandle handle = open(id, "setOutput");
            requirePosition("output", index, handle.outputSet.length);
            OperandDescriptor operand = typed("output " + index, handle.model.output(index).descriptor(), type, dimensions);
            handle.requireUnset("output", index, handle.outputSet);
            if (buffer != null) {
                handle.requireLength("output " + index, operand, buffer.capacity());
            }
            handle.ask(e -> e.setOutput(index, buffer));
            handle.outputTypes[index] = buffer == null || dimensions == null ? null : operand;
            handle.outputSet[index] = true;
            handle.bound = true;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOutputFromMemory(long id, int index, int type, int[] dimensions, float scale, int zeroPoint, long memoryId, long offset,
                                   long length) {
        try {
            ExecutionHandle handle = open(id, "setOutputFromMemory");
            requirePosition("output", index, handle.outputSet.length);
            OperandDescriptor operand = typed("output " + index, handle.model.output(index).descriptor(), type, dimensions);
            MemoryHandle memory = get(memoryId, MemoryHandle.class);
            Memory chosen = memory.chosen();
            if (chosen != null) {
                requireWhole(offset, length);
                handle.requireUnset("output", index, handle.outputSet);
                handle.ask(e -> e.setOutputFromMemory(index, chosen, 0, 0));
            } else {
                ByteBuffer bytes = memory.bytes(offset, length);
                handle.requireLength("output " + index, operand, length);
                handle.requireUnset("output", index, handle.outputSet);
                if (memory.described() != null) {
                    handle.ask(e -> e.setOutputFromMemory(index, memory.described(), offset, length));
                } else {
                    handle.ask(e -> e.setOutput(index, bytes));
                }
            }
            handle.need(memory);
            handle.outputTypes[index] = dimensions == null ? null : operand;
            handle.outputSet[index] = true;
            handle.bound = true;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setMeasureTiming(long id, boolean measure) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            handle.compilation.requireOneDevice("setMeasureTiming");
            open(id, "setMeasureTiming").ask(e -> e.setMeasureTiming(measure));
            handle.timed = measure;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** @param nanos 0 for none; a number of 64 bits without sign */
    static int setTimeout(long id, long nanos) {
        try {
            get(id, ExecutionHandle.class).compilation.requireOneDevice("setTimeout");
            open(id, "setTimeout").timeoutNanos = nanos < 0 ? Long.MAX_VALUE : nanos;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** @param nanos a number of 64 bits without sign */
    static int setLoopTimeout(long id, long nanos) {
        try {
            // No time at all is what a loop is given that shall never turn; the runtime wants some.
            long some = nanos < 0 ? Long.MAX_VALUE : Math.max(nanos, 1);
            open(id, "setLoopTimeout").ask(e -> e.setLoopTimeout(Duration.ofNanos(some)));
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setReusable(long id, boolean reusable) {
        try {
            ExecutionHandle handle = open(id, "setReusable");
            handle.ask(e -> e.setReusable(reusable));
            handle.reusable = reusable;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int enablePadding(long id, boolean enable) {
        try {
            ExecutionHandle handle = open(id, "enableInputAndOutputPadding");
            if (handle.bound) {
                throw Answer.badState("enableInputAndOutputPadding: inputs or outputs are set (expected: before all of them)");
            }
            handle.padding = enable;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** An attribute of an extension: no device here has one. */
    static int addExtensionAttribute(long id) {
        try {
            open(id, "addExtensionAttribute");
            return ResultCode.BAD_DATA.code();
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int compute(long id) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            handle.begin("compute");
            return handle.run(null, handle.timeoutNanos);
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int burstCompute(long id, long burstId) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            BurstHandle burst = get(burstId, BurstHandle.class);
            if (burst.compilation != handle.compilation) {
                throw Answer.bad("burst: of another compilation (expected: of this execution's)");
            }
            if (!burst.enter()) {
                throw Answer.badState("burst: busy (expected: one execution at a time)");
            }
            try {
                handle.begin("burstCompute");
                return handle.run(burst, handle.timeoutNanos);
            } finally {
                burst.leave();
            }
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** Starts the execution on another thread and gives its event. */
    static long startCompute(long id) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            handle.begin("startCompute");
            return handle.start(List.of(), 0);
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    /** @param nanos how long it may take once the events have ended, 0 for ever; a number of 64 bits without sign */
    static long startComputeWithDependencies(long id, long[] eventIds, long nanos) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            List<EventHandle> events = new ArrayList<>(eventIds.length);
            for (long event : eventIds) {
                events.add(get(event, EventHandle.class));
            }
            handle.requireRunnable("startComputeWithDependencies");
            if (nanos != 0) {
                handle.compilation.requireOneDevice("startComputeWithDependencies");
            }
            for (EventHandle event : events) {
                if (event.hasFailed()) {
                    throw Answer.badState("dependency: failed (expected: one that ends well)");
                }
            }
            handle.requireAllBound();
            for (int i = 0; i < handle.outputTypes.length; i++) {
                OperandDescriptor type = handle.outputTypes[i] == null ? handle.model.output(i).descriptor() : handle.outputTypes[i];
                if (!type.isFullySpecified()) {
                    throw Answer.bad("output " + i + ": " + type + " (expected: all dimensions known)");
                }
            }
            handle.begin("startComputeWithDependencies");
            handle.fenced = true;
            return handle.start(events, nanos < 0 ? Long.MAX_VALUE : nanos);
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    private long start(List<EventHandle> dependencies, long nanos) {
        CompletableFuture<Integer> end = new CompletableFuture<>();
        EventHandle event;
        long started = System.nanoTime();
        try {
            event = new EventHandle(end, fenced);
            event.need(this);
            retain();
            dependencies.forEach(EventHandle::retain);
            EventHandle.WORKERS.execute(() -> {
                int code = ResultCode.OP_FAILED.code();
                try {
                    code = runAfter(dependencies, started, nanos);
                } finally {
                    dependencies.forEach(EventHandle::release);
                    release();
                    end.complete(code);
                }
            });
        } catch (Throwable e) {
            completed(Answer.code(e));
            throw e;
        }
        return event.id;
    }

    private int runAfter(List<EventHandle> dependencies, long started, long nanos) {
        for (EventHandle dependency : dependencies) {
            if (dependency.await() != Answer.OK) {
                return completed(ResultCode.OP_FAILED.code());
            }
        }
        long begun = System.nanoTime();
        long left = timeoutNanos == 0 ? 0 : Math.max(timeoutNanos - (begun - started), 1);
        int code = run(null, nanos == 0 ? left : left == 0 ? nanos : Math.min(left, nanos));
        fencedNanos = System.nanoTime() - begun;
        return code;
    }

    private void requireRunnable(String call) {
        State now = state;
        if (now == State.COMPUTATION || now == State.COMPLETED && !reusable) {
            throw Answer.badState(call + ": " + (now == State.COMPUTATION ? "computing" : "computed already")
                + " (expected: one computation, or a reusable execution)");
        }
    }

    private void requireAllBound() {
        for (int i = 0; i < inputSet.length; i++) {
            if (!inputSet[i]) {
                throw Answer.bad("input " + i + ": not set (expected: setInput)");
            }
        }
        for (int i = 0; i < outputSet.length; i++) {
            if (!outputSet[i]) {
                throw Answer.bad("output " + i + ": not set (expected: setOutput)");
            }
        }
    }

    private synchronized void begin(String call) {
        requireRunnable(call);
        requireAllBound();
        state = State.COMPUTATION;
        fenced = false;
    }

    /** Runs what {@link #begin} has begun. */
    private int run(BurstHandle burst, long nanos) {
        int code;
        try {
            if (execution == null) {
                throw new NnapiException(ResultCode.OP_FAILED, "execution: shapes contradict each other (expected: a model whose operations fit)");
            }
            for (Requantizer requantizer : requantizers) {
                requantizer.run();
            }
            if (nanos > 0) {
                execution.setTimeout(Duration.ofNanos(nanos));
            }
            if (burst == null) {
                execution.compute();
            } else {
                execution.burstCompute(burst.burst);
            }
            code = Answer.OK;
        } catch (Throwable e) {
            code = Answer.code(e);
            if (code == ResultCode.BAD_DATA.code()) {
                // What was bound was checked: the operations do not fit it, or each other.
                code = ResultCode.OP_FAILED.code();
            }
        }
        return completed(code == Answer.OK || code == INSUFFICIENT ? checkedShapes(code) : code);
    }

    private int completed(int code) {
        completion = code;
        state = State.COMPLETED;
        return code;
    }

    /** An output that has not the shape which its type gave it is a failure, whatever the room. */
    private int checkedShapes(int code) {
        for (int i = 0; i < outputTypes.length; i++) {
            if (outputTypes[i] != null) {
                int[] computed = shape(i);
                boolean fits = outputTypes[i].rank() == 0 || outputTypes[i].rank() == computed.length;
                for (int j = 0; fits && j < outputTypes[i].rank(); j++) {
                    fits = outputTypes[i].dimension(j) == 0 || computed[j] == 0 || outputTypes[i].dimension(j) == computed[j];
                }
                if (!fits) {
                    return ResultCode.OP_FAILED.code();
                }
            }
        }
        return code;
    }

    /** The shape of an output, or, where the execution did not come so far, what is declared of it. */
    private int[] shape(int output) {
        try {
            return execution.outputDimensions(output);
        } catch (NnapiException notKnown) {
            return (outputTypes[output] != null ? outputTypes[output] : model.output(output).descriptor()).dimensions();
        }
    }

    private static ExecutionHandle ended(long id, String call) {
        ExecutionHandle handle = get(id, ExecutionHandle.class);
        if (handle.state != State.COMPLETED) {
            throw Answer.badState(call + ": not computed (expected: after the execution)");
        }
        if (handle.completion != Answer.OK && handle.completion != INSUFFICIENT) {
            throw Answer.badState(call + ": the execution failed (expected: one that ended well, or lacked room)");
        }
        return handle;
    }

    private int sufficient(int output) {
        return execution.isOutputSufficient(output) ? Answer.OK : INSUFFICIENT;
    }

    /** Code and rank; see {@link Answer#pair}. */
    static long outputRank(long id, int index) {
        try {
            ExecutionHandle handle = ended(id, "getOutputOperandRank");
            requirePosition("output", index, handle.outputSet.length);
            return Answer.pair(handle.sufficient(index), handle.shape(index).length);
        } catch (Throwable e) {
            return Answer.pair(Answer.code(e), 0);
        }
    }

    /** The code, then, if it is none or too little room, the dimensions. */
    static int[] outputDimensions(long id, int index) {
        try {
            ExecutionHandle handle = ended(id, "getOutputOperandDimensions");
            requirePosition("output", index, handle.outputSet.length);
            int[] shape = handle.shape(index);
            if (shape.length == 0) {
                throw Answer.bad("output " + index + ": a scalar (expected: a tensor of known rank)");
            }
            int[] answer = new int[shape.length + 1];
            System.arraycopy(shape, 0, answer, 1, shape.length);
            answer[0] = handle.sufficient(index);
            return answer;
        } catch (Throwable e) {
            return new int[] {Answer.code(e)};
        }
    }

    /** Whether the execution has measured durations; a code. */
    static int durationCode(long id) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            if (handle.state != State.COMPLETED || handle.completion != Answer.OK || !handle.timed) {
                throw Answer.badState("getDuration: not measured (expected: after an execution that measured and ended well)");
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** A duration in nanoseconds, -1 if it is not known. */
    static long duration(long id, int code) {
        ExecutionHandle handle = find(id, ExecutionHandle.class);
        if (handle == null) {
            return UNKNOWN;
        }
        return switch (code) {
            case 0, 2 -> handle.execution.hardwareNanos();
            case 1 -> handle.execution.driverNanos();
            default -> handle.fenced ? handle.fencedNanos : handle.execution.driverNanos();
        };
    }
}
