package org.torchnnapi.driver.cpu;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.torchnnapi.nnapi.driver.DeviceMemory;
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
    private final AtomicInteger sessions = new AtomicInteger();

    CpuModel(Model model, Program program) {
        this.model = model;
        this.program = program;
        idle.push(session());
    }

    @Override
    public void execute(ExecutionRequest request) {
        Session session;
        synchronized (idle) {
            session = idle.poll();
        }
        if (session == null) {
            session = session();
        }
        try {
            session.execute(request);
        } finally {
            synchronized (idle) {
                if (idle.size() < most) {
                    idle.push(session);
                } else {
                    sessions.decrementAndGet();
                }
            }
        }
    }

    private Session session() {
        Session session = new Session(model, program);
        sessions.incrementAndGet();
        return session;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(program.packedBytes(), program.arenaBytes() * sessions.get());
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
