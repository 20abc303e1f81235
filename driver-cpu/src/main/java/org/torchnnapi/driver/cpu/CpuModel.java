package org.torchnnapi.driver.cpu;

import java.util.ArrayDeque;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.program.Program;

/** A compiled program, with a session for each execution that runs at the same time; a few are kept for the next. */
final class CpuModel implements PreparedModel {
    private final Model model;
    private final Program program;
    private final ArrayDeque<Session> idle = new ArrayDeque<>();
    private final int most = Runtime.getRuntime().availableProcessors();

    CpuModel(Model model, Program program) {
        this.model = model;
        this.program = program;
        idle.push(new Session(model, program));
    }

    @Override
    public void execute(ExecutionRequest request) {
        Session session;
        synchronized (idle) {
            session = idle.poll();
        }
        if (session == null) {
            session = new Session(model, program);
        }
        try {
            session.execute(request);
        } finally {
            synchronized (idle) {
                if (idle.size() < most) {
                    idle.push(session);
                }
            }
        }
    }

    /** Sessions that wait for an execution. */
    int idle() {
        synchronized (idle) {
            return idle.size();
        }
    }

    Program program() {
        return program;
    }

    @Override
    public void close() {
        synchronized (idle) {
            idle.clear();
        }
    }
}
