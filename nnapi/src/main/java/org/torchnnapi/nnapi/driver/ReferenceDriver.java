package org.torchnnapi.nnapi.driver;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/** The device every other is measured by: all operations, their plain reference kernels, one thread an execution. */
public final class ReferenceDriver implements Driver {
    public static final String NAME = "reference";

    public ReferenceDriver() {
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public DeviceType type() {
        return DeviceType.CPU;
    }

    @Override
    public FeatureLevel featureLevel() {
        return FeatureLevel.V1_3;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(Performance.BASE);
    }

    @Override
    public List<String> supportedOperations(Model model) {
        return Collections.nCopies(model.operations().size(), null);
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        return prepare(model, options, referenced -> null);
    }

    /**
     * Prepares a model whose referenced models others may run.
     *
     * @param branches asked for each referenced model, once for each execution at a time: what runs it, or null for this device
     */
    public PreparedModel prepare(Model model, PrepareOptions options, Function<Model, ControlledRunner> branches) {
        options.control().check();
        return new Prepared(model, branches);
    }

    /** Keeps one program for each execution that ever ran at the same time. */
    private static final class Prepared implements PreparedModel {
        private final Model model;
        private final Function<Model, ControlledRunner> branches;
        private final ArrayDeque<ReferenceProgram> idle = new ArrayDeque<>();

        Prepared(Model model, Function<Model, ControlledRunner> branches) {
            this.model = model;
            this.branches = branches;
            idle.push(new ReferenceProgram(model, branches));
        }

        @Override
        public void execute(ExecutionRequest request) {
            ReferenceProgram program;
            synchronized (idle) {
                program = idle.poll();
            }
            if (program == null) {
                program = new ReferenceProgram(model, branches);
            }
            program.execute(request);
            // A program that failed halfway is dropped: its state is not worth trusting.
            synchronized (idle) {
                idle.push(program);
            }
        }

        @Override
        public void close() {
            synchronized (idle) {
                idle.clear();
            }
        }
    }
}
