package org.torchnnapi.c;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.torchnnapi.c.ExecutionArguments.Type;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Execution;

/** An execution. Methods return codes; see the NDK's reference for each. */
final class ExecutionHandle extends Handle {
    private enum State {
        PREPARATION,
        COMPUTATION,
        COMPLETED
    }

    /** A duration that is not known. */
    private static final long UNKNOWN = -1L;

    private static final int INSUFFICIENT = ResultCode.OUTPUT_INSUFFICIENT_SIZE.code();

    private final CompilationHandle compilation;
    private final Execution execution;
    private final ExecutionArguments arguments;
    private volatile State state = State.PREPARATION;
    private boolean reusable;
    private boolean timed;
    private boolean fenced;
    private long timeoutNanos;
    private int completion;
    private long fencedNanos;

    private ExecutionHandle(CompilationHandle compilation) {
        this.compilation = compilation;
        execution = compilation.compilation().createExecution();
        arguments = new ExecutionArguments(compilation, execution);
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
        execution.close();
    }

    private static ExecutionHandle open(long id, String call) {
        ExecutionHandle handle = get(id, ExecutionHandle.class);
        if (handle.state != State.PREPARATION) {
            throw Answer.badState(call + ": " + (handle.state == State.COMPUTATION ? "computing" : "computed already")
                    + " (expected: before the computation)");
        }
        return handle;
    }

    /**
     * @param dimensions null where the call gives no type
     * @param buffer over the caller's memory; null leaves the input out
     */
    static int setInput(long id, int index, int type, int[] dimensions, float scale, int zeroPoint, ByteBuffer buffer) {
        try {
            open(id, "setInput").arguments.setInput(index, new Type(type, dimensions, scale, zeroPoint), buffer);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setInputFromMemory(
            long id,
            int index,
            int type,
            int[] dimensions,
            float scale,
            int zeroPoint,
            long memoryId,
            long offset,
            long length) {
        try {
            ExecutionHandle handle = open(id, "setInputFromMemory");
            MemoryHandle memory = get(memoryId, MemoryHandle.class);
            handle.arguments.setInputFromMemory(
                    index, new Type(type, dimensions, scale, zeroPoint), memory, offset, length);
            handle.need(memory);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /**
     * @param dimensions null where the call gives no type
     * @param buffer over the caller's memory; null leaves the output out
     */
    static int setOutput(
            long id, int index, int type, int[] dimensions, float scale, int zeroPoint, ByteBuffer buffer) {
        try {
            open(id, "setOutput").arguments.setOutput(index, new Type(type, dimensions, scale, zeroPoint), buffer);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setOutputFromMemory(
            long id,
            int index,
            int type,
            int[] dimensions,
            float scale,
            int zeroPoint,
            long memoryId,
            long offset,
            long length) {
        try {
            ExecutionHandle handle = open(id, "setOutputFromMemory");
            MemoryHandle memory = get(memoryId, MemoryHandle.class);
            handle.arguments.setOutputFromMemory(
                    index, new Type(type, dimensions, scale, zeroPoint), memory, offset, length);
            handle.need(memory);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setMeasureTiming(long id, boolean measure) {
        try {
            ExecutionHandle handle = get(id, ExecutionHandle.class);
            handle.compilation.requireOneDevice("setMeasureTiming");
            open(id, "setMeasureTiming").execution.setMeasureTiming(measure);
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
            open(id, "setLoopTimeout").execution.setLoopTimeout(Duration.ofNanos(some));
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setReusable(long id, boolean reusable) {
        try {
            ExecutionHandle handle = open(id, "setReusable");
            handle.execution.setReusable(reusable);
            handle.reusable = reusable;
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int enablePadding(long id, boolean enable) {
        try {
            open(id, "enableInputAndOutputPadding").arguments.enablePadding(enable);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** @param data null for none */
    static int addExtensionAttribute(long id, String extension, int code, byte[] data) {
        try {
            open(id, "addExtensionAttribute").execution.addExtensionAttribute(new ExtensionCode(extension, code), data);
            return Answer.OK;
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
            handle.arguments.requireAllBound();
            handle.arguments.requireOutputShapes();
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

    private synchronized void begin(String call) {
        requireRunnable(call);
        arguments.requireAllBound();
        state = State.COMPUTATION;
        fenced = false;
    }

    /** Runs what {@link #begin} has begun. */
    private int run(BurstHandle burst, long nanos) {
        int code;
        try {
            arguments.read();
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
        boolean computed = code == Answer.OK || code == INSUFFICIENT;
        return completed(computed && !arguments.hasGivenShapes() ? ResultCode.OP_FAILED.code() : code);
    }

    private int completed(int code) {
        completion = code;
        state = State.COMPLETED;
        return code;
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
            handle.arguments.requireOutput(index);
            return Answer.pair(handle.sufficient(index), handle.arguments.shape(index).length);
        } catch (Throwable e) {
            return Answer.pair(Answer.code(e), 0);
        }
    }

    /** The code, then, if it is none or too little room, the dimensions. */
    static int[] outputDimensions(long id, int index) {
        try {
            ExecutionHandle handle = ended(id, "getOutputOperandDimensions");
            handle.arguments.requireOutput(index);
            int[] shape = handle.arguments.shape(index);
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
                throw Answer.badState(
                        "getDuration: not measured (expected: after an execution that measured and ended well)");
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
