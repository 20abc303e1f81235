package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * Calls a driver that may never return. It works on another thread, on inputs and outputs of its own: a late writer
 * cannot spoil what the reference device has computed since.
 */
final class GuardedCall {
    /** The driver did not return in time. */
    static final class DeviceHung extends RuntimeException {
        DeviceHung(long timeoutNanos) {
            super("hung: no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
        }
    }

    private static final Object WAIVED = new Object();

    private GuardedCall() {}

    static void execute(PreparedModel prepared, Model model, ExecutionRequest request, long timeoutNanos) {
        ExecutionRequest own = new ExecutionRequest(model);
        own.timed(request.isTimed());
        own.control(request.control());
        own.attributes(request.attributes());
        for (int i = 0; i < model.inputCount(); i++) {
            own.passInput(
                    i, copy(model.input(i), request.input(i), request.inputDimensions(i)), request.inputDimensions(i));
            own.passInputBuffer(i, unreachable(request.inputBuffer(i)), 0);
        }
        for (int i = 0; i < model.outputCount(); i++) {
            Buffer output = request.output(i);
            own.passOutput(
                    i,
                    output == null
                            ? null
                            : OperandBuffers.allocate(model.output(i).type(), output.capacity()));
            own.passOutputBuffer(i, unreachable(request.outputBuffer(i)), 0);
        }
        try {
            await(
                    Threads.submit(() -> {
                        prepared.execute(own);
                        return null;
                    }),
                    timeoutNanos);
        } finally {
            report(model, own, request);
        }
        for (int i = 0; i < model.outputCount(); i++) {
            int[] dimensions = own.outputDimensions(i);
            if (own.output(i) != null && own.output(i).capacity() > 0 && dimensions != null) {
                OperandBuffers.copy(
                        own.output(i),
                        request.output(i),
                        OperandBuffers.elements(model.output(i).descriptor(), dimensions));
            }
        }
    }

    /**
     * Memory that only its device reaches; of other memory the device gets copies, as of all that the caller still
     * uses.
     */
    private static DeviceBuffer unreachable(DeviceBuffer buffer) {
        return buffer == null || buffer.host() != null ? null : buffer;
    }

    /** The elements of an input, or null; the caller's buffer may be gone before a hung device reads it. */
    private static Buffer copy(Operand operand, Buffer data, int[] dimensions) {
        if (data == null) {
            return null;
        }
        int[] shape = dimensions == null ? operand.descriptor().dimensions() : dimensions;
        int elements = Math.min(data.capacity(), OperandBuffers.elements(operand.descriptor(), shape));
        Buffer own = OperandBuffers.allocate(operand.type(), elements);
        OperandBuffers.copy(data, own, elements);
        return own;
    }

    /** Has a model prepared; a result that nobody waits for any more is closed. */
    static PreparedModel prepare(Driver driver, Model model, PrepareOptions options, long timeoutNanos) {
        return prepare(driver, model, options, timeoutNanos, () -> {});
    }

    /** @param whenGivenUp runs between the end of the wait and the moment the result is waived */
    static PreparedModel prepare(
            Driver driver, Model model, PrepareOptions options, long timeoutNanos, Runnable whenGivenUp) {
        // Whoever comes second, the driver with its result or the caller who waives it, closes it.
        AtomicReference<Object> outcome = new AtomicReference<>();
        PreparedModel answer = null;
        try {
            answer = await(
                    Threads.submit(() -> {
                        PreparedModel prepared = driver.prepare(model, options);
                        if (prepared != null && !outcome.compareAndSet(null, prepared)) {
                            prepared.close();
                        }
                        return prepared;
                    }),
                    timeoutNanos);
            return answer;
        } finally {
            if (answer == null) {
                whenGivenUp.run();
                if (!outcome.compareAndSet(null, WAIVED) && outcome.get() instanceof PreparedModel late) {
                    late.close();
                }
            }
        }
    }

    private static <T> T await(Future<T> call, long timeoutNanos) {
        try {
            return call.get(timeoutNanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            call.cancel(true);
            throw new DeviceHung(timeoutNanos);
        } catch (InterruptedException e) {
            call.cancel(true);
            Thread.currentThread().interrupt();
            throw new NnapiException(ResultCode.OP_FAILED, "device call: interrupted", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error cause) {
                throw cause;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static void report(Model model, ExecutionRequest from, ExecutionRequest to) {
        for (int i = 0; i < model.outputCount(); i++) {
            to.reportOutput(i, from.outputDimensions(i), from.isOutputSufficient(i));
        }
        to.reportHardwareNanos(from.hardwareNanos());
    }
}
