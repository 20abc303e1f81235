package org.torchnnapi.nnapi.runtime;

import java.nio.Buffer;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;

/**
 * Calls a driver that may never return. It works on another thread, on outputs of its own: a late writer cannot spoil what the
 * reference device has computed since.
 */
final class GuardedCall {
    /** The driver did not return in time. */
    static final class DeviceHung extends RuntimeException {
        DeviceHung(long timeoutNanos) {
            super("hung: no answer within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms");
        }
    }

    private GuardedCall() {
    }

    static void execute(PreparedModel prepared, Model model, ExecutionRequest request, long timeoutNanos) {
        ExecutionRequest own = new ExecutionRequest(model);
        own.timed(request.isTimed());
        ExecutionControl control = request.control();
        own.control(control);
        for (int i = 0; i < model.inputCount(); i++) {
            own.passInput(i, request.input(i), request.inputDimensions(i));
        }
        for (int i = 0; i < model.outputCount(); i++) {
            Buffer output = request.output(i);
            own.passOutput(i, output == null ? null : OperandBuffers.allocate(model.output(i).type(), output.capacity()));
        }
        try {
            await(Threads.submit(() -> {
                prepared.execute(own);
                return null;
            }), timeoutNanos);
        } finally {
            report(model, own, request);
        }
        for (int i = 0; i < model.outputCount(); i++) {
            if (own.output(i) != null && own.outputDimensions(i) != null) {
                int count = 1;
                for (int size : own.outputDimensions(i)) {
                    count *= size;
                }
                OperandBuffers.copy(own.output(i), request.output(i), count);
            }
        }
    }

    /** Has a model prepared; a result that comes too late is closed. */
    static PreparedModel prepare(Driver driver, Model model, PrepareOptions options, long timeoutNanos) {
        AtomicBoolean late = new AtomicBoolean();
        try {
            return await(Threads.submit(() -> {
                PreparedModel prepared = driver.prepare(model, options);
                if (late.get()) {
                    prepared.close();
                }
                return prepared;
            }), timeoutNanos);
        } catch (DeviceHung e) {
            late.set(true);
            throw e;
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
