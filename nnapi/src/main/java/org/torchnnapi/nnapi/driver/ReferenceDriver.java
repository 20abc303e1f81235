package org.torchnnapi.nnapi.driver;

import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;

/** The device every other is measured by: all operations, their plain reference kernels, one thread an execution. */
public final class ReferenceDriver implements Driver {
    public static final String NAME = "reference";

    public ReferenceDriver() {}

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
    public boolean isReference() {
        return true;
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
    public List<DeviceRefusal> refusals(Model model) {
        return List.of();
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        options.control().check();
        return new Prepared(model);
    }

    private static final class Prepared implements PreparedModel {
        private final Sessions<ReferenceProgram> programs;

        Prepared(Model model) {
            programs = new Sessions<>(() -> new ReferenceProgram(model, true));
            // What is wrong with the model is found before any execution; memory is taken by the first.
            StaticShapes.of(model);
        }

        /** A program of its own, without asking for one each time. */
        @Override
        public BurstState openBurst() {
            return new BurstState() {
                private ReferenceProgram program = programs.take();

                @Override
                public void execute(ExecutionRequest request) {
                    boolean done = false;
                    try {
                        program.execute(request);
                        done = true;
                    } finally {
                        if (!done) {
                            programs.giveBack(program, false);
                            program = programs.take();
                        }
                    }
                }

                @Override
                public void close() {
                    programs.giveBack(program, true);
                }
            };
        }

        @Override
        public void execute(ExecutionRequest request) {
            ReferenceProgram program = programs.take();
            boolean done = false;
            try {
                program.execute(request);
                done = true;
            } finally {
                // A program that failed halfway is dropped: its state is not worth trusting.
                programs.giveBack(program, done);
            }
        }

        @Override
        public void close() {
            programs.clear();
        }
    }
}
