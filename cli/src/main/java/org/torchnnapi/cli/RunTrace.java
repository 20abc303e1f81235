package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.nnapi.runtime.TraceEvent;
import org.torchnnapi.nnapi.runtime.TraceListener;

/**
 * Measured runs as complete events ("X") of the Trace Event Format, in microseconds: the runs, what the NNAPI runtime
 * did with its own times, and in each run the steps, which are measured by their lengths and stand one behind the other
 * in the order of their work.
 */
final class RunTrace implements TraceListener {
    private static final double NANOS_OF_MICRO = 1e3;
    private static final int MODEL = 1;
    private static final int RUNTIME = 2;
    /** Runs whose steps are written; more make files that no viewer likes. */
    private static final int MOST_RUNS = 50;

    private final List<Map<String, Object>> events = new ArrayList<>();
    private final Map<String, Integer> threads = new LinkedHashMap<>();
    private final List<TraceEvent> pending = new ArrayList<>();
    private List<ProfiledStep> before = List.of();
    private long zero = Long.MIN_VALUE;

    @Override
    public synchronized void onEvent(TraceEvent event) {
        pending.add(event);
    }

    /** @param soFar what the steps took in all runs together */
    synchronized void run(int number, long start, long end, List<ProfiledStep> soFar) {
        if (zero == Long.MIN_VALUE) {
            zero = start;
        }
        if (number < MOST_RUNS) {
            add(MODEL, "runs", "run " + number, start, end - start);
            long at = start;
            for (int i = 0; i < soFar.size(); i++) {
                ProfiledStep step = soFar.get(i);
                long nanos = step.nanos()
                        - (before.size() == soFar.size() ? before.get(i).nanos() : 0);
                if (nanos > 0) {
                    add(MODEL, step.device(), step.name(), at, nanos);
                    at += nanos;
                }
            }
            for (TraceEvent event : pending) {
                if (event.startNanos() >= start) {
                    add(
                            RUNTIME,
                            event.device().isEmpty() ? "runtime" : event.device(),
                            event.kind()
                                    + (event.step() >= 0 ? " " + event.step() : "")
                                    + (event.detail().isEmpty() ? "" : ": " + event.detail()),
                            event.startNanos(),
                            event.nanos());
                }
            }
        }
        pending.clear();
        before = soFar;
    }

    private void add(int process, String thread, String name, long start, long nanos) {
        int id = threads.computeIfAbsent(process + " " + thread, t -> {
            int next = threads.size() + 1;
            events.add(Map.of(
                    "ph", "M", "name", "thread_name", "pid", process, "tid", next, "args", Map.of("name", thread)));
            return next;
        });
        Map<String, Object> event = new LinkedHashMap<>();
        event.put("ph", "X");
        event.put("name", name);
        event.put("pid", process);
        event.put("tid", id);
        event.put("ts", (start - zero) / NANOS_OF_MICRO);
        event.put("dur", nanos / NANOS_OF_MICRO);
        events.add(event);
    }

    synchronized void write(Path file) throws IOException {
        List<Map<String, Object>> all = new ArrayList<>();
        all.add(Map.of("ph", "M", "name", "process_name", "pid", MODEL, "args", Map.of("name", "model")));
        all.add(Map.of("ph", "M", "name", "process_name", "pid", RUNTIME, "args", Map.of("name", "NNAPI runtime")));
        all.addAll(events);
        OutputFiles.writeJson(Map.of("traceEvents", all, "displayTimeUnit", "ms"), file.toString());
    }
}
