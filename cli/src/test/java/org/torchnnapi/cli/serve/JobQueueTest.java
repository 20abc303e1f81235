package org.torchnnapi.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.serve.ServedFiles.Model;
import picocli.CommandLine.Model.CommandSpec;

@Timeout(60)
class JobQueueTest {
    private final PrintStream out = System.out;
    private ServedFiles workspace;
    private Model model;
    private JobQueue queue;

    @BeforeEach
    void make() throws IOException {
        workspace = new ServedFiles(limits(Duration.ofSeconds(50)));
        model = workspace.receive("net.pt", new ByteArrayInputStream(new byte[1]), 1);
    }

    @AfterEach
    void close() throws IOException {
        queue.close();
        workspace.close();
        assertEquals(out, System.out, "standard output is back");
    }

    private static Limits limits(Duration jobTime) {
        return new Limits(1000, 10_000, 8, 8, 2, 3, jobTime);
    }

    private void start(Duration jobTime, Function<List<String>, Integer> work) {
        queue = new JobQueue(workspace, limits(jobTime), new CommandRunner() {
            @Override
            public CommandSpec declared(String command) {
                throw new AssertionError(command);
            }

            @Override
            public int run(String... words) {
                return work.apply(List.of(words));
            }

            @Override
            public long stackBytes() {
                return 0;
            }
        });
    }

    private Job add() {
        return queue.add(new JobRequest(
                Action.INSPECT, List.of(model), workspace, List.of(), JsonNodeFactory.instance.objectNode()));
    }

    private static Job over(Job job) {
        while (!job.state().isOver()) {
            sleep(5);
        }
        return job;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static Path target(List<String> words) {
        return Path.of(words.stream()
                .filter(word -> word.startsWith("--html="))
                .findFirst()
                .orElseThrow()
                .substring("--html=".length()));
    }

    @Test
    void oneAtATimeInTheirOrderAndOthersAreRefused() {
        CountDownLatch go = new CountDownLatch(1);
        List<Integer> order = Collections.synchronizedList(new ArrayList<>());
        int[] running = {0, 0};
        start(Duration.ofSeconds(50), words -> {
            running[1] = Math.max(running[1], ++running[0]);
            await(go);
            order.add(Integer.valueOf(
                    target(words).getParent().getFileName().toString().substring(4)));
            running[0]--;
            return 0;
        });
        Job first = add();
        while (first.state() != Job.State.RUNNING) {
            sleep(5);
        }
        add();
        Job third = add();
        assertEquals(
                HttpError.TOO_MANY, assertThrows(HttpError.class, this::add).status());
        assertEquals(
                HttpError.CONFLICT,
                assertThrows(HttpError.class, () -> queue.requireUnused(model.id()))
                        .status());
        go.countDown();
        over(third);
        assertEquals(List.of(1, 2, 3), order);
        assertEquals(1, running[1]);
        queue.requireUnused(model.id());
    }

    @Test
    void cancelledJobsEndAndTheNextRuns() throws IOException {
        CountDownLatch begun = new CountDownLatch(1);
        List<Path> folders = Collections.synchronizedList(new ArrayList<>());
        start(Duration.ofSeconds(50), words -> {
            folders.add(target(words).getParent());
            if (folders.size() == 1) {
                begun.countDown();
                try {
                    Files.write(target(words), new byte[1]);
                    Thread.sleep(50_000);
                } catch (InterruptedException e) {
                    // As the library's work, it ends.
                    return 1;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            assertFalse(Thread.currentThread().isInterrupted());
            return 0;
        });
        Job running = add();
        await(begun);
        Job waiting = add();
        Job last = add();
        queue.cancel(waiting.id());
        assertEquals(Job.State.CANCELLED, waiting.state());
        queue.cancel(running.id());
        assertEquals(Job.State.DONE, over(last).state());
        assertEquals(Job.State.CANCELLED, over(running).state());
        assertFalse(Files.exists(folders.get(0)), "what it wrote");
        assertEquals(2, folders.size());
        queue.cancel(running.id());
        assertEquals(
                HttpError.NOT_FOUND,
                assertThrows(HttpError.class, () -> queue.cancel(99)).status());
    }

    @Test
    void workThatTakesTooLongFails() {
        start(Duration.ofMillis(100), words -> {
            try {
                Thread.sleep(50_000);
                return 0;
            } catch (InterruptedException e) {
                System.out.println("a trace");
                return 1;
            }
        });
        Job job = over(add());
        assertEquals(Job.State.FAILED, job.state());
        assertEquals(
                "job: not done after 100 ms (expected: less work, or a later deadline)",
                job.toMap().get("text"));
        assertEquals(Job.State.FAILED, over(add()).state());
    }

    @Test
    void whatIsSaidIsKeptWithNamesAsThePageShowsThem() {
        start(Duration.ofSeconds(50), words -> {
            System.out.println("wrote " + target(words) + " of " + words.get(1) + " \u001b[2J");
            System.err.println("warned");
            return 1;
        });
        Job job = over(add());
        assertEquals(
                List.of("wrote page.html of net.pt \\u001b[2J", "warned"),
                job.toMap().get("text").toString().lines().toList());
        assertEquals("torch-nnapi inspect net.pt --html=page.html", job.toMap().get("command"));
    }

    @Test
    void endlessWordsAndErrorsEndAJobAlone() {
        start(Duration.ofSeconds(50), words -> {
            for (int i = 0; i < 100_000; i++) {
                System.out.println("0123456789");
            }
            throw new OutOfMemoryError("all of it");
        });
        Job job = over(add());
        assertEquals(Job.State.FAILED, job.state());
        String text = job.toMap().get("text").toString();
        assertTrue(
                text.length() < 300_000 && text.contains("is left out") && text.endsWith("all of it"),
                () -> "" + text.length());
        assertEquals(Job.State.FAILED, over(add()).state());
    }

    @Test
    void progressIsTold() {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        start(Duration.ofSeconds(50), words -> {
            try (Progress progress = new Progress()) {
                progress.update("calibrate " + words.get(1), 3, 10);
                told.countDown();
                await(go);
            }
            return 0;
        });
        Job job = add();
        await(told);
        assertEquals("calibrate net.pt", job.toMap().get("label"));
        assertEquals(3L, job.toMap().get("done"));
        assertEquals(10L, job.toMap().get("total"));
        go.countDown();
        over(job);
    }

    @Test
    void whatIsMadeIsKeptUntilOthersAreLater() throws IOException {
        start(Duration.ofSeconds(50), words -> {
            try {
                Files.write(target(words), new byte[2]);
                Files.write(target(words).resolveSibling("net-nnapi.pt"), new byte[3]);
                Files.write(target(words).resolveSibling("answer0.npy"), new byte[4]);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return 0;
        });
        Job job = over(add());
        assertEquals(
                List.of(new Job.Made("answer0.npy", 4, null).toMap(), new Job.Made("net-nnapi.pt", 3, 2).toMap()),
                job.toMap().get("files"));
        assertEquals(true, job.toMap().get("page"));
        assertEquals("net-nnapi.pt", workspace.model(2).name());
        assertEquals(4, Files.size(queue.file(job.id(), "answer0.npy")));
        for (String name : List.of("net-nnapi.pt", "..", "../model-1/net.pt", "")) {
            assertEquals(
                    HttpError.NOT_FOUND,
                    assertThrows(HttpError.class, () -> queue.file(job.id(), name))
                            .status());
        }
        for (int i = 0; i < 4; i++) {
            over(add());
        }
        Job last = over(add());
        while (queue.jobs().size() > 3) {
            sleep(5);
        }
        assertTrue(queue.jobs().contains(last));
        assertThrows(HttpError.class, () -> queue.job(job.id()));
    }
}
