package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * One part of a model on one device. If the device fails at it, hangs or dies, the reference device finishes this and
 * all later executions of the part.
 */
final class PlanStep {
    private final int number;
    private final Model model;
    private final Device device;
    private final Device reference;
    private final PrepareOptions options;
    private final TraceListener trace;
    private final long deviceTimeoutNanos;
    private final boolean loops;
    /** By the device; null if another takes its place from the start. */
    private PreparedModel prepared;

    private PreparedModel fallback;
    private volatile boolean failed;
    private volatile boolean abandoned;
    /** What executions took; null while nothing is measured. */
    private volatile AtomicLong nanos;

    /** @param reference finishes failed executions; null where that is not allowed */
    PlanStep(
            int number,
            Model model,
            Device device,
            Device reference,
            CompilationBuilder settings,
            PrepareOptions options) {
        this.number = number;
        this.model = model;
        this.device = device;
        this.reference = reference;
        this.options = options;
        trace = settings.trace;
        deviceTimeoutNanos = device.isReference() || ControlFlow.isRuntime(device) ? 0 : settings.deviceTimeoutNanos;
        loops = model.operations().stream().anyMatch(o -> o.type().isControlFlow());
    }

    /** Has the device prepare the part, unless an execution must complete it first. */
    void prepare(CompilationBuilder settings) {
        if (ControlFlow.isRuntime(device)) {
            prepared = new ControlFlowPart(settings, model);
        } else if (device.isDescription()) {
            failed = true;
        } else if (SpecializedPart.isOpen(model, device.driver().partRules())) {
            prepared = new SpecializedPart(
                    model,
                    device.driver().partRules(),
                    this::prepareComplete,
                    reference == null ? null : this::executeOnReference);
        } else {
            prepared = prepare(model, options);
        }
    }

    private PreparedModel prepareComplete(Model complete, ExecutionControl control) {
        List<DeviceRefusal> refusals = device.driver().refusals(complete);
        if (!refusals.isEmpty()) {
            DeviceRefusal refusal = refusals.get(0);
            throw new NnapiException(
                    ResultCode.OP_FAILED,
                    "device " + device.name() + ", operation " + refusal.operation() + " "
                            + complete.operations().get(refusal.operation()).type() + ": " + refusal.problem());
        }
        return prepare(
                complete,
                new PrepareOptions(
                        options.preference(), options.priority(), control, null, false, options.attributes()));
    }

    private PreparedModel prepare(Model part, PrepareOptions how) {
        PreparedModel answer = deviceTimeoutNanos == 0
                ? device.driver().prepare(part, how)
                : GuardedCall.prepare(device.driver(), part, how, deviceTimeoutNanos);
        if (answer == null) {
            throw new NnapiException(
                    ResultCode.DEAD_OBJECT,
                    "device " + device.name() + ": prepared nothing (expected: a prepared model)");
        }
        return answer;
    }

    /**
     * What the device has prepared, as it is; null where it is prepared by the shapes and values that executions bring,
     * or in pieces.
     */
    PreparedModel preparedByDevice() {
        return failed || prepared instanceof ControlFlowPart || prepared instanceof SpecializedPart ? null : prepared;
    }

    /** What another process may start from, or null. */
    byte[] cacheData() {
        return prepared == null ? null : prepared.cacheData();
    }

    boolean isFromCache() {
        return prepared != null && prepared.isFromCache();
    }

    Model model() {
        return model;
    }

    Device device() {
        return device;
    }

    DeviceMemory memory() {
        return prepared == null ? DeviceMemory.NONE : prepared.memory();
    }

    /** Starts to measure the executions to come. */
    void profile() {
        if (prepared != null) {
            prepared.profile();
        }
        nanos = new AtomicLong();
    }

    /**
     * What the device's own steps took since {@link #profile}, or the part as a whole where the device does not tell.
     *
     * @param operations of the whole model, in the order in which this part has them
     */
    List<ProfiledStep> stepTimes(List<Operation> operations) {
        AtomicLong measured = nanos;
        if (measured == null) {
            return List.of();
        }
        if (prepared instanceof ControlFlowPart part) {
            List<ProfiledStep> times = new ArrayList<>(part.profiledSteps());
            long rest = measured.get()
                    - times.stream().mapToLong(ProfiledStep::nanos).sum();
            times.add(new ProfiledStep(
                    device.name(), model.operations().get(0).type().name(), Math.max(rest, 0), operations));
            return times;
        }
        List<StepTime> inner = prepared == null || failed ? List.of() : prepared.stepTimes();
        List<ProfiledStep> times = new ArrayList<>();
        if (inner.isEmpty()) {
            String names = model.operations().stream()
                    .map(operation -> operation.type().name())
                    .collect(Collectors.joining(", "));
            times.add(new ProfiledStep(failed ? reference().name() : device.name(), names, measured.get(), operations));
            return times;
        }
        inner.forEach(step -> times.add(new ProfiledStep(
                device.name(),
                step.name(),
                step.nanos(),
                step.operations().stream().map(operations::get).collect(Streams.toList()))));
        long copies = measured.get() - inner.stream().mapToLong(StepTime::nanos).sum();
        times.add(new ProfiledStep(device.name(), "values in and out", Math.max(copies, 0)));
        return times;
    }

    /** The compilation of a referenced model, null if the device runs it itself. */
    Compilation branch(Model referenced) {
        return prepared instanceof ControlFlowPart part ? part.compilation(referenced) : null;
    }

    /** What the device keeps during a burst, or null. */
    BurstState openBurst() {
        return failed || prepared == null || deviceTimeoutNanos != 0 ? null : prepared.openBurst();
    }

    /** Whether the device waits for fences by itself. */
    boolean takesFences() {
        return !failed
                && device.fenced() == null
                && deviceTimeoutNanos == 0
                && prepared != null
                && prepared.takesFences();
    }

    /**
     * Starts an execution behind fences; as {@link PreparedModel#executeBehind}, and what fails, at once or later,
     * another device does.
     */
    Fence executeBehind(ExecutionRequest request, List<Fence> fences) {
        try {
            Fence end = prepared.executeBehind(request, fences);
            return reference == null
                    ? end
                    : new RescuedFence(end, e -> {
                        if (isCallersMatter(e.resultCode(), request.control())) {
                            throw e;
                        }
                        finishAfter(e, request);
                    });
        } catch (NnapiException e) {
            if (reference == null || isCallersMatter(e.resultCode(), request.control())) {
                throw e;
            }
            fences.forEach(Fence::await);
            finishAfter(e, request);
            return Fence.SIGNALED;
        }
    }

    /** @param burst what the device keeps, null outside of a burst */
    void execute(ExecutionRequest request, BurstState burst) {
        AtomicLong measured = nanos;
        if (measured == null) {
            executeSomewhere(request, burst);
            return;
        }
        long start = System.nanoTime();
        executeSomewhere(request, burst);
        measured.addAndGet(System.nanoTime() - start);
    }

    private void executeSomewhere(ExecutionRequest request, BurstState burst) {
        if (failed || device.fenced() != null && reference != null) {
            executeOnReference(request);
            return;
        }
        long start = trace == null ? 0 : System.nanoTime();
        try {
            if (request.hasBuffers()) {
                Staging.execute(request, model, device.driver(), staged -> executeOnDevice(staged, burst));
            } else {
                executeOnDevice(request, burst);
            }
        } catch (NnapiException e) {
            if (reference == null || isCallersMatter(e.resultCode(), request.control())) {
                throw e;
            }
            finishAfter(e, request);
            return;
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            if (reference == null) {
                throw new NnapiException(ResultCode.OP_FAILED, "device " + device.name() + ": " + e, e);
            }
            failed = true;
            if (e instanceof GuardedCall.DeviceHung) {
                abandoned = true;
                device.fence(e.getMessage(), e);
            } else {
                device.failed("crashed in an execution (" + e + ")", e);
            }
            executeOnReference(request);
            return;
        }
        if (trace != null) {
            trace.onEvent(new TraceEvent(
                    TraceEvent.Kind.STEP,
                    device.name(),
                    number,
                    start,
                    System.nanoTime(),
                    Strings.counted(model.operations().size(), "operation")));
        }
    }

    private void executeOnDevice(ExecutionRequest request, BurstState burst) {
        if (deviceTimeoutNanos != 0) {
            GuardedCall.execute(prepared, model, request, deviceTimeoutNanos);
        } else if (burst != null) {
            burst.execute(request);
        } else {
            prepared.execute(request);
        }
    }

    /**
     * Whether another device could not do better: too small a buffer, the caller's own deadline or cancellation, a
     * loop's timeout.
     */
    private boolean isCallersMatter(ResultCode code, ExecutionControl control) {
        return switch (code) {
            case OUTPUT_INSUFFICIENT_SIZE -> true;
            case MISSED_DEADLINE_TRANSIENT ->
                loops || control.hasDeadline() && System.nanoTime() - control.deadline() > 0;
            default -> control.isCancelled();
        };
    }

    /**
     * Finishes a failed execution; what the reference device can do and the device cannot, it is not asked to do again.
     */
    private void finishAfter(NnapiException failure, ExecutionRequest request) {
        if (failure.resultCode() == ResultCode.DEAD_OBJECT) {
            failed = true;
            device.fence("died in an execution (" + failure.getMessage() + ")", failure);
        } else if (failure.resultCode().isTransient() || failure.resultCode() == ResultCode.OUT_OF_MEMORY) {
            device.passed(
                    "had no time or room for a part of a model (" + failure + "): device " + reference.name()
                            + " does it, which may take long",
                    failure);
        }
        executeOnReference(request);
        if (!failure.resultCode().isTransient() && !failed) {
            failed = true;
            if (failure.resultCode() == ResultCode.OUT_OF_MEMORY) {
                return;
            }
            device.failed("failed to execute a part of a model (" + failure + ")", failure);
        }
    }

    private void executeOnReference(ExecutionRequest request) {
        long start = trace == null ? 0 : System.nanoTime();
        PreparedModel other = fallback();
        Staging.execute(request, model, reference().driver(), other::execute);
        if (trace != null) {
            trace.onEvent(new TraceEvent(
                    TraceEvent.Kind.FALLBACK,
                    reference().name(),
                    number,
                    start,
                    System.nanoTime(),
                    "in place of " + device.name() + ", "
                            + Strings.counted(model.operations().size(), "operation")));
        }
    }

    private Device reference() {
        if (device.isDescription() && reference == null) {
            throw new NnapiException(
                    ResultCode.UNAVAILABLE_DEVICE,
                    "device " + device.name() + ": a description (expected: a device that is here)");
        }
        if (reference == null) {
            throw new NnapiException(
                    ResultCode.DEAD_OBJECT,
                    "device " + device.name() + ": " + device.fenced() + " (expected: a device at work)");
        }
        return reference;
    }

    private synchronized PreparedModel fallback() {
        if (fallback == null) {
            fallback = reference()
                    .driver()
                    .prepare(
                            model,
                            new PrepareOptions(options.preference(), options.priority(), new ExecutionControl(), null));
        }
        return fallback;
    }

    synchronized void close() {
        // A device that hangs in this very model may never return from close either.
        if (prepared != null && !abandoned) {
            prepared.close();
        }
        if (fallback != null) {
            fallback.close();
        }
    }
}
