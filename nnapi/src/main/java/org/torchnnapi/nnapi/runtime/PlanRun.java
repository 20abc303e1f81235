package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.util.List;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.ArenaLayout;
import org.torchnnapi.nnapi.op.ArenaMemory;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * What one execution of a plan of several steps writes: a request a step, and the values between steps. Those of known
 * shape share one arena. Reused by later executions, one at a time; without allocation once it is warm.
 */
final class PlanRun {
    private static final int ALIGNMENT = 64;

    private final Plan plan;
    private final PlanStep[] steps;
    /** By step, what its device keeps during a burst; null outside of one. */
    private final BurstState[] bursts;

    private final ExecutionRequest[] requests;
    private final Plan.CallerInput[] inputs;
    private final Plan.CallerOutput[] outputs;
    /** By step, the handovers it writes. */
    private final Plan.Handover[][] writtenBy;
    /** By step, output position: whether the caller owns the buffer. */
    private final boolean[][] callers;

    /** @param chunkBytes the largest value that shares an arena with others */
    PlanRun(Plan plan, long chunkBytes) {
        this.plan = plan;
        steps = plan.steps().toArray(new PlanStep[0]);
        bursts = new BurstState[steps.length];
        requests = plan.requests();
        inputs = plan.callerInputs().toArray(new Plan.CallerInput[0]);
        outputs = plan.callerOutputs().toArray(new Plan.CallerOutput[0]);
        callers = new boolean[steps.length][];
        for (int s = 0; s < steps.length; s++) {
            callers[s] = new boolean[requests[s].outputCount()];
        }
        for (Plan.CallerOutput output : outputs) {
            callers[output.step()][output.position()] = true;
        }
        writtenBy = new Plan.Handover[steps.length][];
        List<Plan.Handover> all = plan.handovers();
        int next = 0;
        for (int s = 0; s < steps.length; s++) {
            int first = next;
            while (next < all.size() && all.get(next).writerStep() == s) {
                next++;
            }
            writtenBy[s] = all.subList(first, next).toArray(new Plan.Handover[0]);
        }
        layOut(chunkBytes);
    }

    /** Places values of known shape in one arena, where those never needed at the same time overlap. */
    private void layOut(long chunkBytes) {
        List<Plan.Handover> handovers = plan.handovers();
        ArenaLayout layout = new ArenaLayout(ALIGNMENT, chunkBytes);
        long[] offsets = new long[handovers.size()];
        int next = 0;
        for (int s = 0; s < steps.length; s++) {
            for (; next < offsets.length && handovers.get(next).writerStep() == s; next++) {
                long bytes = isPlaced(handovers.get(next)) ? bytes(handovers.get(next)) : Long.MAX_VALUE;
                offsets[next] = layout.fits(bytes) ? layout.take(bytes, plan.lastReader(next)) : -1;
            }
            layout.release(s);
        }
        ArenaMemory arena = new ArenaMemory(layout.size(), chunkBytes);
        for (int h = 0; h < offsets.length; h++) {
            Plan.Handover handover = handovers.get(h);
            if (isPlaced(handover)) {
                OperandDescriptor operand =
                        plan.model().operand(handover.operand()).descriptor();
                int[] shape = plan.shape(handover.operand());
                handOver(
                        handover,
                        offsets[h] < 0
                                ? OperandBuffers.allocate(operand, shape)
                                : OperandBuffers.view(operand.type(), arena.slice(offsets[h], bytes(handover))),
                        shape);
            }
        }
    }

    private boolean isPlaced(Plan.Handover handover) {
        return plan.shape(handover.operand()) != null && !callers[handover.writerStep()][handover.writerPosition()];
    }

    private long bytes(Plan.Handover handover) {
        return ArenaLayout.bytes(
                plan.shape(handover.operand()),
                plan.model().operand(handover.operand()).descriptor());
    }

    /** Gives a value its buffer, at the step that writes it and at those that read it. */
    private void handOver(Plan.Handover handover, Buffer buffer, int[] dimensions) {
        requests[handover.writerStep()].passOutput(handover.writerPosition(), buffer);
        passOn(handover, buffer, dimensions, null, 0);
    }

    /**
     * @param owned the device's memory in which the value lies, or null
     * @param offset of the value in that memory
     */
    private void passOn(Plan.Handover handover, Buffer buffer, int[] dimensions, DeviceBuffer owned, long offset) {
        for (int i = 0; i < handover.readerSteps().length; i++) {
            requests[handover.readerSteps()[i]].passInputBuffer(handover.readerPositions()[i], owned, offset);
            requests[handover.readerSteps()[i]].passInput(handover.readerPositions()[i], buffer, dimensions);
        }
    }

    /** Has the devices keep what they can for executions in quick succession. */
    void openBurst() {
        for (int s = 0; s < steps.length; s++) {
            bursts[s] = steps[s].openBurst();
        }
    }

    /** Gives up what {@link #openBurst} had kept. */
    void closeBurst() {
        for (int s = 0; s < steps.length; s++) {
            if (bursts[s] != null) {
                bursts[s].close();
                bursts[s] = null;
            }
        }
    }

    /** Runs every step on what the caller's request binds, and reports output shapes there. */
    void execute(ExecutionRequest caller) {
        long hardwareNanos = 0;
        for (Plan.CallerInput input : inputs) {
            requests[input.step()].passInputBuffer(
                    input.position(), caller.inputBuffer(input.modelInput()), caller.inputOffset(input.modelInput()));
            requests[input.step()].passInput(
                    input.position(), caller.input(input.modelInput()), caller.inputDimensions(input.modelInput()));
        }
        for (Plan.CallerOutput output : outputs) {
            requests[output.step()].passOutput(output.position(), caller.output(output.modelOutput()));
            requests[output.step()].passOutputBuffer(
                    output.position(),
                    caller.outputBuffer(output.modelOutput()),
                    caller.outputOffset(output.modelOutput()));
            caller.reportOutput(output.modelOutput(), null, true);
        }
        try {
            for (int s = 0; s < steps.length; s++) {
                requests[s].control(caller.control());
                requests[s].timed(caller.isTimed());
                requests[s].attributes(caller.attributes());
                requests[s].reportHardwareNanos(-1);
                caller.control().check();
                executeStep(s);
                long nanos = requests[s].hardwareNanos();
                hardwareNanos = nanos < 0 || hardwareNanos < 0 ? -1 : hardwareNanos + nanos;
                for (Plan.Handover handover : writtenBy[s]) {
                    // A value of known shape stays where it is; others are passed on with the shape of this execution.
                    if (plan.shape(handover.operand()) == null || callers[s][handover.writerPosition()]) {
                        Buffer written = requests[s].output(handover.writerPosition());
                        // An empty value needs no buffer to be written, but one to be there.
                        passOn(
                                handover,
                                written != null
                                        ? written
                                        : OperandBuffers.allocate(
                                                plan.model()
                                                        .operand(handover.operand())
                                                        .type(),
                                                0),
                                requests[s].outputDimensions(handover.writerPosition()),
                                requests[s].outputBuffer(handover.writerPosition()),
                                requests[s].outputOffset(handover.writerPosition()));
                    }
                }
            }
            caller.reportHardwareNanos(hardwareNanos);
        } finally {
            for (Plan.CallerOutput output : outputs) {
                ExecutionRequest request = requests[output.step()];
                caller.reportOutput(
                        output.modelOutput(),
                        request.outputDimensions(output.position()),
                        request.isOutputSufficient(output.position()));
                request.passOutput(output.position(), null);
                request.passOutputBuffer(output.position(), null, 0);
            }
            for (Plan.CallerInput input : inputs) {
                requests[input.step()].passInput(input.position(), null, null);
                requests[input.step()].passInputBuffer(input.position(), null, 0);
            }
        }
    }

    /** Runs a step; a value between steps that needs more room than it has gets it, and the step runs again. */
    private void executeStep(int s) {
        for (int i = 0; i < requests[s].outputCount(); i++) {
            requests[s].reportOutput(i, null, true);
        }
        while (true) {
            try {
                steps[s].execute(requests[s], bursts[s]);
                return;
            } catch (NnapiException e) {
                if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE || !grow(s)) {
                    throw e;
                }
            }
        }
    }

    private boolean grow(int s) {
        boolean grown = false;
        for (int i = 0; i < requests[s].outputCount(); i++) {
            int[] dimensions = requests[s].outputDimensions(i);
            if (!requests[s].isOutputSufficient(i) && !callers[s][i] && dimensions != null) {
                requests[s].passOutput(
                        i, OperandBuffers.allocate(steps[s].model().output(i).descriptor(), dimensions));
                requests[s].reportOutput(i, dimensions, true);
                grown = true;
            }
        }
        return grown;
    }
}
