package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A device as applications see it. One that died or hung is fenced off: for a while, longer each time, it is offered no
 * work.
 */
public final class Device {
    private static final Logger LOG = Logger.getLogger(Device.class.getName());
    private static final long FIRST_FENCE_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long LONGEST_FENCE_NANOS = TimeUnit.HOURS.toNanos(1);
    /** Different failures that are told; a driver with more than these has made its point. */
    private static final int MOST_TOLD = 32;

    /** @param until on the scale of the clock */
    private record Fence(String reason, long until, long nanos) {}

    private final Driver driver;
    private final LongSupplier clock;
    private final Set<String> told = new HashSet<>();
    private volatile Fence fence;

    /** @param clock counts nanoseconds */
    Device(Driver driver, LongSupplier clock) {
        this.driver = driver;
        this.clock = clock;
    }

    /** Which no other installed device has. */
    public String name() {
        return driver.name();
    }

    public DeviceType type() {
        return driver.type();
    }

    /** The driver's own, in no particular form. */
    public String version() {
        return driver.version();
    }

    /** Whose operations it may be asked for. */
    public FeatureLevel featureLevel() {
        return driver.featureLevel();
    }

    /** What it says of its speed and power. */
    public Capabilities capabilities() {
        return driver.capabilities();
    }

    /** Whether it knows an extension, by its name. */
    public boolean hasExtension(String name) {
        return driver.hasExtension(name);
    }

    /** The extensions that it announces. */
    public List<Extension> extensions() {
        return driver.extensions();
    }

    /** Whether it is the reference device, which finishes what others fail at. */
    public boolean isReference() {
        return driver.isReference();
    }

    /**
     * For each operation of the model null, or the reason why the device does not take it, as a text; see
     * {@link #refusals}.
     *
     * @throws NnapiException DEAD_OBJECT if the driver fails to answer
     */
    public List<String> supportedOperations(Model model) {
        return Arrays.stream(byOperation(model, refusals(model)))
                .map(refusal -> refusal == null ? null : refusal.problem().toString())
                .collect(Streams.toList());
    }

    /**
     * The operations of the model that do not run on the device alone, with the reasons. IF and WHILE are no matter of
     * the device, but for their models.
     *
     * @throws NnapiException DEAD_OBJECT if the driver fails to answer
     */
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (DeviceRefusal refusal : ownRefusals(model)) {
            Operation operation = model.operations().get(refusal.operation());
            DeviceRefusal inner =
                    operation.type().isControlFlow() ? referencedRefusal(model, refusal.operation()) : refusal;
            if (inner != null) {
                refusals.add(inner);
            }
        }
        return refusals;
    }

    private DeviceRefusal referencedRefusal(Model model, int number) {
        Operation operation = model.operations().get(number);
        for (int i = 0; i < operation.inputCount(); i++) {
            Model referenced = model.operand(operation.input(i)).referenced();
            List<DeviceRefusal> inner = referenced == null ? List.of() : refusals(referenced);
            if (!inner.isEmpty()) {
                Problem problem = inner.get(0).problem();
                return DeviceRefusal.of(
                        number,
                        "model " + i + ", operation " + inner.get(0).operation() + ", "
                                + referenced
                                        .operations()
                                        .get(inner.get(0).operation())
                                        .type() + ", " + problem.rule(),
                        problem.found(),
                        problem.expected());
            }
        }
        return null;
    }

    private DeviceRefusal[] byOperation(Model model, List<DeviceRefusal> refusals) {
        DeviceRefusal[] answers = new DeviceRefusal[model.operations().size()];
        for (DeviceRefusal refusal : refusals) {
            if (refusal.operation() < 0 || refusal.operation() >= answers.length) {
                throw new NnapiException(
                        ResultCode.DEAD_OBJECT,
                        "device " + name() + ": refuses operation " + refusal.operation() + " (expected: one of "
                                + answers.length + ")");
            }
            answers[refusal.operation()] = refusal;
        }
        return answers;
    }

    /** By operation, why the driver does not take it, null where it does. */
    DeviceRefusal[] answers(Model model) {
        return byOperation(model, ownRefusals(model));
    }

    /** What the driver says. */
    private List<DeviceRefusal> ownRefusals(Model model) {
        List<DeviceRefusal> answer;
        try {
            answer = ForeignOperations.refusals(model, driver);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            failed("failed to say what it supports of a model (" + e + ")", e);
            throw new NnapiException(ResultCode.DEAD_OBJECT, "device " + name() + ": " + e, e);
        }
        if (answer == null) {
            throw new NnapiException(
                    ResultCode.DEAD_OBJECT, "device " + name() + ": no answer (expected: what of a model it refuses)");
        }
        return answer;
    }

    /** Whether it only describes a device that is not here; the reference device computes in its place. */
    public boolean isDescription() {
        return driver.isDescription();
    }

    Driver driver() {
        return driver;
    }

    /** Why the device gets no work for now, or null while it does. */
    public String fenced() {
        Fence now = fence;
        return now == null || clock.getAsLong() - now.until >= 0 ? null : now.reason;
    }

    /** The device died or hung: it gets no work until a while has passed, twice as long if that has happened before. */
    void fence(String reason, Throwable cause) {
        synchronized (this) {
            if (fenced() != null) {
                return;
            }
            long nanos = fence == null ? FIRST_FENCE_NANOS : Math.min(LONGEST_FENCE_NANOS, 2 * fence.nanos);
            fence = new Fence(reason, clock.getAsLong() + nanos, nanos);
        }
        tell(
                "device " + name() + " " + reason + "; it gets no work for a while, the reference device takes over",
                cause);
    }

    /** The device failed at a part of a model, which concerns that part alone. */
    void failed(String reason, Throwable cause) {
        tell("device " + name() + " " + reason + "; other devices do this part, it keeps its other work", cause);
    }

    /**
     * The device leaves a part of a model to a slower one, as where memory is short: told before that one begins, which
     * looks like a hang otherwise.
     */
    void passed(String reason, Throwable cause) {
        tell("device " + name() + " " + reason, cause);
    }

    /** Warns, once of each thing. */
    private void tell(String message, Throwable cause) {
        boolean isNew;
        synchronized (told) {
            isNew = told.size() < MOST_TOLD && told.add(message);
        }
        LOG.log(isNew ? Level.WARNING : Level.FINE, message, cause);
    }

    @Override
    public String toString() {
        return name() + " (" + type() + ", version " + version() + ", " + featureLevel() + ")";
    }
}
