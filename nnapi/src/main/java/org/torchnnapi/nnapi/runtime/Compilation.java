package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.driver.MemoryPreference;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A model made ready for its devices. Thread-safe: executions may run at the same time. Close it when no execution runs
 * any more.
 */
public final class Compilation implements AutoCloseable {
    /** An output with its shape. {@code data} is a typed buffer that may be larger than the value. */
    public record Output(Buffer data, int[] dimensions) {}

    private final Model model;
    private final Partitioner.Result partition;
    private final Plan plan;
    /** What every execution fails with, or null. */
    private final NnapiException contradiction;
    /** Of the one device that the caller chose, or null. */
    private final Driver onlyDriver;

    private final TraceListener trace;
    /** By output, the shape if the model settles it, else null. */
    private final int[][] outputShapes;

    private final int[] outputElements;
    private final long arenaChunkBytes;
    private final ArrayDeque<PlanRun> idle = new ArrayDeque<>();
    private boolean closed;
    private int running;

    /** @param partition null where there is a contradiction; the plan has no steps then */
    private Compilation(
            Model model,
            Partitioner.Result partition,
            Plan plan,
            NnapiException contradiction,
            CompilationBuilder settings) {
        this.model = model;
        this.partition = partition;
        this.plan = plan;
        this.contradiction = contradiction;
        onlyDriver = settings.onlyDriver();
        trace = settings.trace;
        arenaChunkBytes = settings.arenaChunkBytes;
        outputShapes = Arrays.stream(model.outputs()).mapToObj(plan::shape).toArray(int[][]::new);
        outputElements = new int[outputShapes.length];
        for (int i = 0; i < outputElements.length; i++) {
            outputElements[i] = outputShapes[i] == null
                    ? 0
                    : OperandBuffers.elements(model.output(i).descriptor(), outputShapes[i]);
        }
    }

    static Compilation compile(CompilationBuilder settings) {
        try {
            PlanBuilder.Built built = PlanBuilder.build(settings);
            return new Compilation(settings.model, built.partition(), built.plan(), null, settings);
        } catch (NnapiException e) {
            if (!settings.contradictionsLater
                    || e.resultCode() != ResultCode.BAD_DATA
                    || !PlanBuilder.isTaken(settings)) {
                throw e;
            }
            Model model = settings.model;
            return new Compilation(
                    model,
                    null,
                    new Plan(model, new int[model.operands().size()][], List.of(), List.of()),
                    e,
                    settings);
        }
    }

    public Model model() {
        return model;
    }

    /**
     * Where every operation runs, and why; those of referenced models with the operation that refers to them. None runs
     * where {@link CompilationBuilder#leaveContradictionsToExecutions} has let a model pass.
     */
    public Placement placement() {
        if (partition == null) {
            return new Placement(List.of(), List.of(), List.of(), List.of());
        }
        Placement own = partition.explain();
        List<Placement.Referenced> referenced = new ArrayList<>();
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            for (int j = 0; operation.type().isControlFlow() && j < operation.inputCount(); j++) {
                Model other = model.operand(operation.input(j)).referenced();
                Compilation branch = other == null
                        ? null
                        : plan.steps().get(partition.partOf()[i]).branch(other);
                if (branch != null) {
                    referenced.add(new Placement.Referenced(i, j, branch.placement()));
                }
            }
        }
        return new Placement(own.operations(), own.partitions(), own.boundaries(), referenced);
    }

    /** What the devices hold for the parts of this model; those of referenced models are not counted. */
    public DeviceMemory memory() {
        DeviceMemory sum = DeviceMemory.NONE;
        for (PlanStep step : plan.steps()) {
            sum = sum.plus(step.memory());
        }
        return sum;
    }

    /** Starts to measure the executions to come, from nothing; none is running. */
    public void profile() {
        plan.steps().forEach(PlanStep::profile);
    }

    /**
     * What the devices' steps took since {@link #profile}; those of referenced models count for the operation that
     * refers to them.
     */
    public List<ProfiledStep> stepTimes() {
        List<ProfiledStep> times = new ArrayList<>();
        for (int i = 0; i < plan.steps().size(); i++) {
            List<Operation> operations = Arrays.stream(partition.members().get(i))
                    .mapToObj(model.operations()::get)
                    .collect(Streams.toList());
            times.addAll(plan.steps().get(i).stepTimes(operations));
        }
        return times;
    }

    /** Of the one device that the caller chose, null where there are several or the runtime chose. */
    Driver onlyDriver() {
        return onlyDriver;
    }

    /** How many parts the model was divided into, 0 where none of it runs. */
    public int partitionCount() {
        return plan.steps().size();
    }

    /** Begins an execution: bind inputs and outputs, then compute. */
    public Execution createExecution() {
        return new Execution(this);
    }

    /**
     * Runs the model once, making room for the outputs.
     *
     * @param inputs one buffer for each input of the model, typed or raw little-endian; null where left out
     * @param dimensions one shape for each input; an entry, or the whole, may be null where the model's own hold
     * @throws NnapiException as {@link Execution#compute}
     */
    public List<Output> run(List<? extends Buffer> inputs, List<int[]> dimensions) {
        ExecutionRequest request = request(model, inputs, dimensions);
        for (int i = 0; i < model.outputCount(); i++) {
            request.passOutput(i, OperandBuffers.allocate(model.output(i).type(), outputElements[i]));
        }
        while (true) {
            try {
                execute(request);
                break;
            } catch (NnapiException e) {
                if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE || !grow(request)) {
                    throw e;
                }
            }
        }
        List<Output> outputs = new ArrayList<>();
        for (int i = 0; i < model.outputCount(); i++) {
            outputs.add(
                    new Output(request.output(i), request.outputDimensions(i).clone()));
        }
        return outputs;
    }

    /** A request with its inputs bound. */
    static ExecutionRequest request(Model model, List<? extends Buffer> inputs, List<int[]> dimensions) {
        if (inputs.size() != model.inputCount()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "inputs: " + inputs.size() + " (expected: " + model.inputCount() + ")");
        }
        ExecutionRequest request = new ExecutionRequest(model);
        for (int i = 0; i < inputs.size(); i++) {
            request.setInput(i, inputs.get(i), dimensions == null ? null : dimensions.get(i));
        }
        return request;
    }

    private boolean grow(ExecutionRequest request) {
        boolean grown = false;
        for (int i = 0; i < model.outputCount(); i++) {
            int[] dimensions = request.outputDimensions(i);
            OperandDescriptor output = model.output(i).descriptor();
            if (!request.isOutputSufficient(i)
                    && dimensions != null
                    && OperandBuffers.elements(output, dimensions)
                            > request.output(i).capacity()) {
                request.passOutput(i, OperandBuffers.allocate(output, dimensions));
                grown = true;
            }
        }
        return grown;
    }

    /** Runs the plan on a request whose bindings fit the model. */
    void execute(ExecutionRequest request) {
        PlanRun run = acquire();
        try {
            execute(request, run, null);
        } finally {
            release(run);
        }
    }

    /** The same with what a burst keeps; the burst has counted itself in. */
    void executeInBurst(ExecutionRequest request, PlanRun run, BurstState whole) {
        execute(request, run, whole);
    }

    private void execute(ExecutionRequest request, PlanRun run, BurstState burst) {
        long start = trace != null || request.isTimed() ? System.nanoTime() : 0;
        boolean done = false;
        try {
            begin(request);
            if (run == null) {
                plan.steps().get(0).execute(request, burst);
            } else {
                run.execute(request);
            }
            done = true;
        } finally {
            if (start != 0) {
                finished(request, start, done);
            }
        }
    }

    private void begin(ExecutionRequest request) {
        request.control().check();
        if (contradiction != null) {
            throw new NnapiException(ResultCode.OP_FAILED, contradiction.getMessage(), contradiction);
        }
        requireRoom(request);
        request.reportHardwareNanos(-1);
        request.reportDriverNanos(-1);
    }

    /** Whether the one device that there is waits for fences by itself. */
    boolean takesFences() {
        return plan.isWhole() && plan.steps().get(0).takesFences();
    }

    /** Runs the plan behind fences that its device waits for, to the end, telling when it has begun. */
    void executeBehind(ExecutionRequest request, List<Fence> fences, Consumer<Fence> begun) {
        acquire();
        long start = System.nanoTime();
        boolean done = false;
        try {
            begin(request);
            Fence end = plan.steps().get(0).executeBehind(request, fences);
            begun.accept(end);
            end.await();
            done = true;
        } finally {
            release(null);
            finished(request, start, done);
        }
    }

    /**
     * Counts a burst in, with what it writes to between steps; null where the one step writes straight to the caller's
     * buffers.
     */
    PlanRun openBurst() {
        return acquire();
    }

    /** The one step's device's own state of a burst; null if it has none, or there are several steps. */
    BurstState openWholeBurst() {
        return plan.isWhole() ? plan.steps().get(0).openBurst() : null;
    }

    void closeBurst(PlanRun run) {
        release(run);
    }

    /**
     * Where an input likes to lie, by all devices that read it.
     *
     * @throws NnapiException BAD_DATA if there is no such input
     */
    public MemoryPreference inputPreference(int position) {
        requirePosition("input", position, model.inputCount());
        MemoryPreference all = MemoryPreference.NONE;
        for (Plan.CallerInput place : plan.callerInputs()) {
            if (place.modelInput() == position) {
                all = all.and(plan.steps().get(place.step()).device().driver().memoryPreference());
            }
        }
        return all;
    }

    /**
     * Where an output likes to go, by the device that writes it.
     *
     * @throws NnapiException BAD_DATA if there is no such output
     */
    public MemoryPreference outputPreference(int position) {
        requirePosition("output", position, model.outputCount());
        for (Plan.CallerOutput place : plan.callerOutputs()) {
            if (place.modelOutput() == position) {
                return plan.steps().get(place.step()).device().driver().memoryPreference();
            }
        }
        return MemoryPreference.NONE;
    }

    private static void requirePosition(String what, int position, int count) {
        if (position < 0 || position >= count) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, what + ": " + position + " (expected: 0 to " + (count - 1) + ")");
        }
    }

    /**
     * What memory for an input or output will be to the models that devices have prepared; empty where one of them is
     * not a device's own, such as a part that executions complete.
     */
    List<MemoryRole> memoryRoles(boolean input, int position, float frequency) {
        List<MemoryRole> roles = new ArrayList<>();
        boolean known = true;
        for (Plan.CallerInput place : input ? plan.callerInputs() : List.<Plan.CallerInput>of()) {
            known &= place.modelInput() != position || addRole(roles, place.step(), true, place.position(), frequency);
        }
        for (Plan.CallerOutput place : input ? List.<Plan.CallerOutput>of() : plan.callerOutputs()) {
            known &=
                    place.modelOutput() != position || addRole(roles, place.step(), false, place.position(), frequency);
        }
        return known ? roles : List.of();
    }

    private boolean addRole(List<MemoryRole> roles, int step, boolean input, int position, float frequency) {
        PreparedModel prepared = plan.steps().get(step).preparedByDevice();
        return prepared != null && roles.add(new MemoryRole(prepared, input, position, frequency));
    }

    /** The device that alone reads an input, or alone writes an output, null if there are several or none. */
    Device roleDevice(boolean input, int position) {
        Device only = null;
        if (input) {
            for (Plan.CallerInput place : plan.callerInputs()) {
                if (place.modelInput() == position) {
                    Device device = plan.steps().get(place.step()).device();
                    if (only != null && only != device) {
                        return null;
                    }
                    only = device;
                }
            }
            return only;
        }
        for (Plan.CallerOutput place : plan.callerOutputs()) {
            if (place.modelOutput() == position) {
                only = plan.steps().get(place.step()).device();
            }
        }
        return only;
    }

    /** Outputs of settled shape are checked here, once, so that no device need to. */
    private void requireRoom(ExecutionRequest request) {
        for (int i = 0; i < outputElements.length; i++) {
            Buffer output = request.output(i);
            if (outputElements[i] > 0
                    && request.outputBuffer(i) == null
                    && (output == null || output.capacity() < outputElements[i])) {
                for (int j = 0; j < outputElements.length; j++) {
                    request.reportOutput(
                            j,
                            outputShapes[j],
                            request.output(j) != null && request.output(j).capacity() >= outputElements[j]);
                }
                throw new NnapiException(
                        ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                        "output " + i + ": " + (output == null ? 0 : output.capacity()) + " elements (expected: "
                                + outputElements[i] + ")");
            }
        }
    }

    private void finished(ExecutionRequest request, long start, boolean done) {
        long end = System.nanoTime();
        if (request.isTimed()) {
            request.reportDriverNanos(end - start);
        }
        if (trace != null) {
            trace.onEvent(new TraceEvent(TraceEvent.Kind.EXECUTION, "", -1, start, end, done ? "done" : "failed"));
        }
    }

    /**
     * Counts an execution in; gives what it writes to, null where the one step writes straight to the caller's buffers.
     */
    private PlanRun acquire() {
        PlanRun run = null;
        synchronized (idle) {
            if (closed) {
                throw new NnapiException(ResultCode.BAD_STATE, "compilation: closed (expected: open)");
            }
            running++;
            if (plan.isWhole()) {
                return null;
            }
            run = idle.poll();
        }
        if (run == null) {
            try {
                run = new PlanRun(plan, arenaChunkBytes);
            } finally {
                // There may have been no memory for it.
                if (run == null) {
                    release(null);
                }
            }
        }
        return run;
    }

    private void release(PlanRun run) {
        boolean last;
        synchronized (idle) {
            running--;
            last = closed && running == 0;
            if (run != null && !closed) {
                idle.push(run);
            }
        }
        if (last) {
            plan.close();
        }
    }

    /** Frees what devices hold; executions still running end first. Closing twice is harmless. */
    @Override
    public void close() {
        boolean now;
        synchronized (idle) {
            now = !closed && running == 0;
            closed = true;
            idle.clear();
        }
        if (now) {
            plan.close();
        }
    }
}
