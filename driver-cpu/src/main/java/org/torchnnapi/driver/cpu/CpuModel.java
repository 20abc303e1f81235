package org.torchnnapi.driver.cpu;

import java.util.ArrayDeque;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;

/** A compiled program with one memory for each execution that ever ran at the same time. */
final class CpuModel implements PreparedModel {
    private final Program program;
    private final ArrayDeque<Run> idle = new ArrayDeque<>();

    CpuModel(Program program) {
        this.program = program;
        idle.push(new Run(program));
    }

    @Override
    public void execute(ExecutionRequest request) {
        Run run;
        synchronized (idle) {
            run = idle.poll();
        }
        if (run == null) {
            run = new Run(program);
        }
        try {
            run.execute(request);
        } finally {
            synchronized (idle) {
                idle.push(run);
            }
        }
    }

    @Override
    public void close() {
        synchronized (idle) {
            idle.clear();
        }
    }
}
