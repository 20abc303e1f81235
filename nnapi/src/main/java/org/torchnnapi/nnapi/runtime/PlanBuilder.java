package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Strings;

/** Makes the plan of a compilation: the model divided into parts, and each part prepared by its device. */
final class PlanBuilder {
    private PlanBuilder() {}

    record Built(Partitioner.Result partition, Plan plan) {}

    /** Whether every operation is taken by one of the devices, as far as they can tell before its shapes are known. */
    static boolean isTaken(CompilationBuilder settings) {
        boolean[] taken = new boolean[settings.model.operations().size()];
        for (Device device : settings.candidates()) {
            List<String> refusals;
            try {
                refusals = device.supportedOperations(settings.model);
            } catch (NnapiException noAnswer) {
                continue;
            }
            for (int i = 0; i < taken.length; i++) {
                taken[i] |= refusals.get(i) == null;
            }
        }
        boolean all = true;
        for (boolean one : taken) {
            all &= one;
        }
        return all;
    }

    /**
     * Divides the model, anew as often as a device fails at a part that others may be given.
     *
     * @throws NnapiException if no device can be given a part, or the caller's time is up
     */
    static Built build(CompilationBuilder settings) {
        Model model = settings.model;
        long start = System.nanoTime();
        int[][] shapes = StaticShapes.of(model);
        ModelSlice.Source source = new ModelSlice.Source(model, shapes);
        FailedParts failures = new FailedParts(model.operations().size());
        while (true) {
            settings.control.check();
            Partitioner.Result partition = Partitioner.partition(
                    source,
                    ControlFlow.candidates(model, settings.candidates()),
                    settings.rules,
                    failures,
                    settings.preference);
            if (settings.trace != null) {
                settings.trace.onEvent(new TraceEvent(
                        TraceEvent.Kind.PARTITION,
                        "",
                        -1,
                        start,
                        System.nanoTime(),
                        Strings.counted(model.operations().size(), "operation") + " in "
                                + Strings.counted(partition.members().size(), "part")));
            }
            Plan plan = plan(settings, source, partition, shapes, failures);
            if (plan != null) {
                return new Built(partition, plan);
            }
        }
    }

    /** Has every part prepared; null if a device failed at one, which is noted, and the model is to be divided anew. */
    private static Plan plan(
            CompilationBuilder settings,
            ModelSlice.Source source,
            Partitioner.Result partition,
            int[][] shapes,
            FailedParts failures) {
        Model model = settings.model;
        List<PlanStep> steps = new ArrayList<>();
        List<ModelSlice> slices = new ArrayList<>();
        int count = partition.members().size();
        boolean done = false;
        try {
            for (int i = 0; i < count; i++) {
                ModelSlice slice = count == 1
                        ? new ModelSlice(
                                model,
                                model.inputs(),
                                model.outputs(),
                                partition.members().get(0))
                        : ModelSlice.of(
                                source,
                                partition.partOf(),
                                i,
                                partition.members().get(i));
                Device device = partition.partDevices().get(i);
                try {
                    steps.add(prepare(settings, slice.model(), device, i));
                } catch (PartFailed e) {
                    failures.add(device, partition.members().get(i), e.getMessage());
                    return null;
                }
                slices.add(slice);
            }
            Plan plan = new Plan(model, shapes, steps, slices);
            done = true;
            return plan;
        } finally {
            if (!done) {
                steps.forEach(PlanStep::close);
            }
        }
    }

    /** A device could not prepare a part that others may be given. */
    private static final class PartFailed extends Exception {
        PartFailed(String reason) {
            super(reason);
        }
    }

    private static PlanStep prepare(CompilationBuilder settings, Model part, Device device, int number)
            throws PartFailed {
        settings.control.check();
        CompilationCache cache = settings.cacheDirectory == null
                        || !device.driver().keepsCacheData()
                ? null
                : new CompilationCache(
                        settings.cacheDirectory, settings.cacheToken, part, device, number, settings.attributes);
        byte[] cached = cache == null ? null : cache.read();
        PrepareOptions options = new PrepareOptions(
                settings.preference, settings.priority, settings.control, cached, cache != null, settings.attributes);
        boolean replaceable = settings.mayFallBack() && !device.isReference();
        Device reference = replaceable ? settings.devices.reference() : null;
        PlanStep step = new PlanStep(number, part, device, reference, settings, options);
        long start = System.nanoTime();
        try {
            step.prepare(settings);
        } catch (RuntimeException | LinkageError | StackOverflowError e) {
            ResultCode code = e instanceof NnapiException nnapi ? nnapi.resultCode() : ResultCode.OP_FAILED;
            boolean gone = e instanceof GuardedCall.DeviceHung || code == ResultCode.DEAD_OBJECT;
            if (e instanceof NnapiException
                    && !gone
                    && (!replaceable || code == ResultCode.MISSED_DEADLINE_TRANSIENT)) {
                throw e;
            }
            String reason = e instanceof GuardedCall.DeviceHung
                    ? e.getMessage()
                    : "failed to prepare a part of a model (" + e + ")";
            if (gone) {
                device.fence(reason, e);
            } else {
                device.failed(reason, e);
            }
            if (!replaceable) {
                throw new NnapiException(code, "device " + device.name() + ": " + e, e);
            }
            throw new PartFailed(reason);
        }
        if (settings.trace != null) {
            settings.trace.onEvent(new TraceEvent(
                    step.isFromCache() ? TraceEvent.Kind.CACHE_HIT : TraceEvent.Kind.PREPARE,
                    device.name(),
                    number,
                    start,
                    System.nanoTime(),
                    Strings.counted(part.operations().size(), "operation")));
        }
        if (cache != null && !step.isFromCache()) {
            cache.write(step.cacheData());
        }
        return step;
    }
}
