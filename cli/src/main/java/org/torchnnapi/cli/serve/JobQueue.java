package org.torchnnapi.cli.serve;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.stream.Stream;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.execution.Deadline;
import org.torchnnapi.execution.DeadlineException;

/** Jobs in the order in which they were asked for, one at a time. Safe for several threads. */
final class JobQueue implements AutoCloseable {
    private static final long MOST_REPORT_BYTES = 4 << 20;
    private static final long PATIENCE_MILLIS = 2000;

    private final ServedFiles workspace;
    private final Limits limits;
    private final CommandRunner runner;
    private final BlockingQueue<Job> waiting;
    private final Map<Integer, Job> jobs = new LinkedHashMap<>();
    private final Thread worker;
    private volatile boolean closed;
    private int lastId;

    JobQueue(ServedFiles workspace, Limits limits, CommandRunner runner) {
        this.workspace = workspace;
        this.limits = limits;
        this.runner = runner;
        this.waiting = new ArrayBlockingQueue<>(limits.waiting());
        this.worker = new Thread(null, this::work, "jobs", runner.stackBytes());
        worker.setDaemon(true);
        worker.start();
    }

    /** @throws HttpError if too many wait already */
    synchronized Job add(JobRequest request) {
        Job job = new Job(lastId + 1, request);
        if (!waiting.offer(job)) {
            throw HttpError.tooMany(
                    "jobs: " + limits.waiting() + " are waiting (expected: fewer; cancel some, or wait for them)");
        }
        lastId++;
        jobs.put(job.id(), job);
        return job;
    }

    synchronized Job job(int id) {
        Job job = jobs.get(id);
        if (job == null) {
            throw HttpError.notFound("job: " + id + " is not kept any more (expected: one of the latest)");
        }
        return job;
    }

    synchronized List<Job> jobs() {
        return List.copyOf(jobs.values());
    }

    /** @throws HttpError if a job that is not over reads the model */
    void requireUnused(int model) {
        for (Job job : jobs()) {
            boolean reads = job.request().models().stream().anyMatch(other -> other.id() == model);
            if (reads && !job.state().isOver()) {
                throw HttpError.conflict("model: a job works with it (expected: none; wait for it, or cancel it)");
            }
        }
    }

    void cancel(int id) {
        Job job = job(id);
        job.cancel();
        waiting.remove(job);
    }

    /** A file that a job wrote. */
    Path file(int id, String name) {
        job(id);
        Path file = folder(id).resolve(name);
        if (!file.getParent().equals(folder(id)) || !Files.isRegularFile(file)) {
            throw HttpError.notFound("file: none of that name (expected: one that the job wrote)");
        }
        return file;
    }

    private Path folder(int id) {
        return workspace.folder().resolve("job-" + id);
    }

    private void work() {
        while (!closed) {
            try {
                Job job = waiting.take();
                run(job);
                forgetOldest();
            } catch (InterruptedException e) {
                // Asked to look whether it is to end, or meant for a job that is over.
            }
        }
    }

    private void run(Job job) {
        boolean succeeded = false;
        String printed = "";
        List<Job.Made> made = List.of();
        Object report = null;
        try {
            Path folder = workspace.jobFolder(job.id());
            List<String> words = job.request().words(folder);
            if (!job.begin(job.request().shown(words))) {
                ServedFiles.delete(folder);
                return;
            }
            try (Printed prints = new Printed()) {
                Progress.follow(job::progress);
                int code;
                try {
                    code = Deadline.within(limits.jobTime(), "job", () -> runner.run(words.toArray(new String[0])));
                } finally {
                    Progress.follow(null);
                    job.workEnded();
                    printed = prints.text();
                }
                report = report(folder);
                // Files that differ are what it was asked about.
                succeeded = code == 0 || job.request().action() == Action.DIFF && report != null;
            }
            if (succeeded && !job.isCancelled()) {
                made = made(job, folder);
            } else {
                ServedFiles.delete(folder);
            }
        } catch (DeadlineException | IOException | HttpError e) {
            printed = e.getMessage();
            succeeded = false;
        } catch (Throwable e) {
            // The next job is to run whatever became of this one.
            printed = printed + "internal error, please report it: " + e;
            succeeded = false;
        }
        job.end(succeeded, printed, report, made);
    }

    private static Object report(Path folder) throws IOException {
        Path file = folder.resolve(JobRequest.REPORT);
        return Files.isRegularFile(file) && Files.size(file) <= MOST_REPORT_BYTES
                ? new ObjectMapper().readTree(file.toFile())
                : null;
    }

    private List<Job.Made> made(Job job, Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.sorted().toList();
        }
        List<Job.Made> made = new ArrayList<>();
        for (Path file : files) {
            String name = file.getFileName().toString();
            long bytes = Files.size(file);
            ServedFiles.Model model = FileName.hasEnding(name, FileName.MODELS)
                    ? workspace.adopt(file, job.request().action().command())
                    : null;
            if (!name.equals(JobRequest.REPORT)) {
                made.add(new Job.Made(name, bytes, model == null ? null : model.id()));
            }
        }
        return made;
    }

    private void forgetOldest() {
        List<Job> forgotten = new ArrayList<>();
        synchronized (this) {
            long over =
                    jobs.values().stream().filter(job -> job.state().isOver()).count();
            for (Iterator<Job> all = jobs.values().iterator(); over > limits.finished() && all.hasNext(); ) {
                Job job = all.next();
                if (job.state().isOver()) {
                    all.remove();
                    forgotten.add(job);
                    over--;
                }
            }
        }
        for (Job job : forgotten) {
            try {
                ServedFiles.delete(folder(job.id()));
            } catch (IOException e) {
                // It goes with the server's folder.
            }
        }
    }

    /** Cancels what is left, and waits a little for the job that runs. */
    @Override
    public void close() {
        closed = true;
        jobs().forEach(Job::cancel);
        worker.interrupt();
        try {
            worker.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
