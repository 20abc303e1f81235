package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.DeviceMemory;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.driver.Sessions;
import org.torchnnapi.nnapi.driver.StepTime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.program.Program;

/** A compiled program, with a session for each execution that runs at the same time. */
final class CpuModel implements PreparedModel {
    private final Model model;
    private final Program program;
    private final List<Integer> operations;
    private final Sessions<Session> sessions = new Sessions<>(this::session);
    private final PriorityScheduler turns;
    private final Priority priority;
    private volatile boolean profiled;

    /**
     * @param operations by node of the program's graph the place in the model of the operation that it is of
     * @param turns what executions wait for
     * @param priority theirs
     * @throws org.torchnnapi.nnapi.model.NnapiException OUT_OF_MEMORY if an execution would take more than
     *     {@link org.torchnnapi.tensor.MemoryLimit} allows
     */
    CpuModel(Model model, Program program, List<Integer> operations, PriorityScheduler turns, Priority priority) {
        this.model = model;
        this.program = program;
        this.operations = operations;
        this.turns = turns;
        this.priority = priority;
        // What is over the limit is known before any execution; the memory itself is taken by the first, as many models
        // wait long for theirs.
        Session.checkMemory(model, program);
    }

    @Override
    public void execute(ExecutionRequest request) {
        turns.take(priority, request.control());
        try {
            Session session = sessions.take();
            try {
                session.execute(request);
            } finally {
                sessions.giveBack(session, true);
            }
        } finally {
            turns.giveBack();
        }
    }

    /** A session of its own, without asking for one each time. */
    @Override
    public BurstState openBurst() {
        Session session = sessions.take();
        return new BurstState() {
            @Override
            public void execute(ExecutionRequest request) {
                turns.take(priority, request.control());
                try {
                    session.execute(request);
                } finally {
                    turns.giveBack();
                }
            }

            @Override
            public void close() {
                sessions.giveBack(session, true);
            }
        };
    }

    private Session session() {
        Session session = Session.of(model, program);
        if (profiled) {
            session.profile();
        }
        return session;
    }

    @Override
    public void profile() {
        profiled = true;
        sessions.forEachWaiting(Session::profile);
    }

    @Override
    public List<StepTime> stepTimes() {
        if (!profiled) {
            return List.of();
        }
        long[] nanos = new long[program.labels().size()];
        sessions.forEachWaiting(session -> {
            // Nothing was measured of a session that was in use when profiling began.
            long[] measured = session.nanos();
            for (int i = 0; i < measured.length; i++) {
                nanos[i] += measured[i];
            }
        });
        List<StepTime> times = new ArrayList<>();
        for (int i = 0; i < nanos.length; i++) {
            times.add(new StepTime(program.labels().get(i), nanos[i], program.origins(i, operations)));
        }
        return times;
    }

    @Override
    public DeviceMemory memory() {
        return new DeviceMemory(program.packedBytes(), program.arenaBytes() * sessions.count());
    }

    Program program() {
        return program;
    }

    @Override
    public void close() {
        sessions.clear();
    }
}
