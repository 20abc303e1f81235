package org.torchnnapi.nnapi.runtime;

import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.nnapi.driver.ControlledRunner;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;

/**
 * The referenced models of IF and WHILE operations that the reference device steers: each is a compilation of its own, so
 * that its operations, too, run where they are best off.
 */
final class Branches implements AutoCloseable {
    private final CompilationBuilder settings;
    private final Map<Model, Compilation> compilations = new IdentityHashMap<>();

    Branches(CompilationBuilder settings) {
        this.settings = settings;
    }

    /** Has the reference device prepare a part with IF or WHILE in it. */
    PreparedModel prepare(ReferenceDriver reference, Model part, PrepareOptions options) {
        return reference.prepare(part, options, this::runner);
    }

    /** What runs a referenced model; null if it is all the reference device's anyway. */
    private synchronized ControlledRunner runner(Model model) {
        Compilation compilation = compilations.get(model);
        if (compilation == null) {
            compilation = Compilation.compile(settings.forReferenced(model));
            compilations.put(model, compilation);
        }
        return compilation.isAllReference() ? null : new Runner(compilation);
    }

    /** The compilation of a referenced model, or null. */
    synchronized Compilation compilation(Model model) {
        return compilations.get(model);
    }

    /** Whether any of them has operations on another device. */
    synchronized boolean reachOthers() {
        return compilations.values().stream().anyMatch(compilation -> !compilation.isAllReference());
    }

    @Override
    public synchronized void close() {
        compilations.values().forEach(Compilation::close);
    }

    private static final class Runner implements ControlledRunner {
        private final Compilation compilation;
        private final Model model;
        private final ExecutionRequest request;
        private final OperandValue[] outputs;

        Runner(Compilation compilation) {
            this.compilation = compilation;
            model = compilation.model();
            request = new ExecutionRequest(model);
            outputs = new OperandValue[model.outputCount()];
            for (int i = 0; i < outputs.length; i++) {
                outputs[i] = new OperandValue(model.output(i).descriptor());
            }
        }

        @Override
        public void control(ExecutionControl newControl) {
            request.control(newControl);
        }

        @Override
        public long loopTimeoutNanos() {
            return request.control().loopTimeoutNanos();
        }

        @Override
        public void checkpoint() {
            request.control().check();
        }

        @Override
        public OperandValue[] run(OperandValue[] arguments) {
            for (int i = 0; i < arguments.length; i++) {
                boolean given = !arguments[i].isOmitted();
                request.passInput(i, given ? arguments[i].data() : null, given ? arguments[i].dimensions() : null);
            }
            for (int i = 0; i < outputs.length; i++) {
                if (outputs[i].data() == null) {
                    int[] shape = compilation.outputShape(i);
                    int count = shape == null ? 0 : (int) outputs[i].declared().withDimensions(shape).elementCount();
                    outputs[i].setData(OperandBuffers.allocate(outputs[i].type(), count), true);
                }
                request.passOutput(i, outputs[i].data());
            }
            compute();
            for (int i = 0; i < outputs.length; i++) {
                outputs[i].resize(request.outputDimensions(i));
                outputs[i].setKnown(true);
            }
            return outputs;
        }

        private void compute() {
            while (true) {
                try {
                    compilation.execute(request);
                    return;
                } catch (NnapiException e) {
                    if (e.resultCode() != ResultCode.OUTPUT_INSUFFICIENT_SIZE || !grow()) {
                        throw e;
                    }
                }
            }
        }

        private boolean grow() {
            boolean grown = false;
            for (int i = 0; i < outputs.length; i++) {
                int[] dimensions = request.outputDimensions(i);
                if (!request.isOutputSufficient(i) && dimensions != null) {
                    outputs[i].resize(dimensions);
                    request.passOutput(i, outputs[i].data());
                    grown = true;
                }
            }
            return grown;
        }
    }
}
