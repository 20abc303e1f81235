package org.torchnnapi.cli.serve;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A command that a page asked for: where it is, and what came of it. Safe for several threads. */
final class Job {
    private static final long NANOS_OF_MILLI = 1_000_000;

    enum State {
        WAITING,
        RUNNING,
        DONE,
        FAILED,
        CANCELLED;

        boolean isOver() {
            return compareTo(DONE) >= 0;
        }
    }

    /**
     * What a job wrote.
     *
     * @param model its number where it is kept as a model, or null
     */
    record Made(String name, long bytes, Integer model) {
        Map<String, Object> toMap() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("name", name);
            map.put("bytes", bytes);
            map.put("model", model);
            return map;
        }
    }

    private final int id;
    private final JobRequest request;
    private State state = State.WAITING;
    private boolean cancelled;
    private Thread thread;
    private long started;
    private long ended;
    private String command = "";
    private String text = "";
    private Object report;
    private String label = "";
    private long done;
    private long total;
    private final List<Made> files = new ArrayList<>();

    Job(int id, JobRequest request) {
        this.id = id;
        this.request = request;
    }

    int id() {
        return id;
    }

    JobRequest request() {
        return request;
    }

    synchronized State state() {
        return state;
    }

    /** @return whether its work is still wanted, which this thread then does */
    synchronized boolean begin(String shown) {
        if (cancelled) {
            return false;
        }
        command = shown;
        state = State.RUNNING;
        started = System.nanoTime();
        thread = Thread.currentThread();
        return true;
    }

    synchronized void progress(String at, long now, long all) {
        label = request.told(at);
        done = now;
        total = all;
    }

    /** Nobody interrupts this thread for the job's sake from now on. */
    synchronized void workEnded() {
        thread = null;
        Thread.interrupted();
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    synchronized void end(boolean succeeded, String printed, Object reported, List<Made> made) {
        state = cancelled ? State.CANCELLED : succeeded ? State.DONE : State.FAILED;
        text = cancelled ? "" : request.told(printed);
        report = cancelled ? null : reported;
        files.addAll(made);
        ended = System.nanoTime();
    }

    /** Ends the work as soon as it looks up; work that waits never begins. */
    synchronized void cancel() {
        if (state.isOver()) {
            return;
        }
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        } else if (state == State.WAITING) {
            state = State.CANCELLED;
        }
    }

    /** What a page knows of it. */
    synchronized Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", id);
        map.put("action", request.action().command());
        map.put("models", request.models().stream().map(ServedFiles.Model::name).toList());
        map.put("state", state.name().toLowerCase(Locale.ROOT));
        map.put("cancelling", cancelled && !state.isOver());
        map.put("command", command);
        map.put("label", label);
        map.put("done", done);
        map.put("total", total);
        long until = state.isOver() ? ended : System.nanoTime();
        map.put("millis", started == 0 ? 0 : (until - started) / NANOS_OF_MILLI);
        map.put("text", text);
        map.put("report", report);
        map.put("page", files.stream().anyMatch(file -> file.name().equals(JobRequest.PAGE)));
        map.put(
                "files",
                files.stream()
                        .filter(file -> !file.name().equals(JobRequest.PAGE))
                        .map(Made::toMap)
                        .toList());
        return map;
    }
}
