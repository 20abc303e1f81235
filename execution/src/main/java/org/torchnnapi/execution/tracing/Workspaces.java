package org.torchnnapi.execution.tracing;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.Run;
import org.torchnnapi.program.Workspace;
import org.torchnnapi.tensor.MemoryLimit;

/**
 * The memory that a module's programs compute in: one for each call that runs at the same time, whichever programs it
 * runs, as large as the largest of them needs. As many as there are processors are kept for later calls. Safe for use
 * by several threads.
 */
final class Workspaces {
    /** Programs whose bindings to the memory are kept, those of the latest calls. */
    private static final int MOST_BOUND = 256;

    /** One memory and the programs bound to it. */
    static final class Held {
        private final Workspace memory = new Workspace();
        private final Map<Program, Run> runs = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Program, Run> eldest) {
                return size() > MOST_BOUND;
            }
        };

        /** @throws org.torchnnapi.tensor.MemoryException if {@link MemoryLimit} does not allow what it computes in */
        Run run(Program program) {
            Run known = runs.get(program);
            if (known == null) {
                MemoryLimit.check("what its compiled code computes in", program.arenaBytes());
                if (memory.fit(program)) {
                    // Those over the old arrays would keep them.
                    runs.clear();
                }
                known = program.newRun(memory);
                runs.put(program, known);
            }
            return known;
        }
    }

    private final ConcurrentLinkedDeque<Held> idle = new ConcurrentLinkedDeque<>();
    private final AtomicInteger kept = new AtomicInteger();

    /** For the calling thread until it is {@linkplain #giveBack given back}. */
    Held take() {
        Held known = idle.poll();
        if (known == null) {
            return new Held();
        }
        kept.decrementAndGet();
        return known;
    }

    void giveBack(Held held) {
        if (kept.incrementAndGet() > Runtime.getRuntime().availableProcessors()) {
            kept.decrementAndGet();
        } else {
            idle.push(held);
        }
    }

    /** Bytes of those that no call has now. */
    long bytes() {
        return idle.stream().mapToLong(held -> held.memory.bytes()).sum();
    }
}
