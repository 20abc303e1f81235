package org.torchnnapi.driver.cpu;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.program.Program;

/** A compiled program, with a session for each execution that runs at the same time; a few are kept for the next. */
final class CpuModel implements PreparedModel {
    private final Model model;
    private final Program program;
    private final ArrayDeque<Session> idle = new ArrayDeque<>();
    private final int most = Runtime.getRuntime().availableProcessors();
    private final AtomicInteger sessions = new AtomicInteger();
    private volatile boolean profiled;

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
        if (profiled) {
            session.profile();
        }
        sessions.incrementAndGet();
        return session;
    }

    @Override
    public void profile() {
        synchronized (idle) {
            profiled = true;
            idle.forEach(Session::profile);
        }
    }

    @Override
    public List<StepTime> stepTimes() {
        List<StepTime> times = new ArrayList<>();
        synchronized (idle) {
            for (int i = 0; profiled && i < program.labels().size(); i++) {
                int step = i;
                times.add(new StepTime(program.labels().get(i), idle.stream().mapToLong(session -> session.nanos()[step]).sum()));
            }
        }
        return times;
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
