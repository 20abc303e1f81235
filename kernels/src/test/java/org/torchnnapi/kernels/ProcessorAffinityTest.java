package org.torchnnapi.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

// The machine, and the pool, are the whole process'.
@Isolated
class ProcessorAffinityTest {
    private final int before = KernelPool.shared().numThreads();

    @AfterEach
    void backToAllProcessors() {
        Machine.assume(null);
        KernelPool.shared().setNumThreads(before);
    }

    @Test
    void keepsThreadsToProcessors() throws Exception {
        assumeTrue(isNative(), "only native kernels on Linux do it");
        String one = allowed().split("[-,]")[0];
        onAnotherThread(() -> {
            // Said twice it is one processor still.
            ProcessorAffinity.keepTo(one + "," + one);
            assertEquals(one, allowed());
            assertEquals(1, Machine.current().processors());
            assertEquals(1, KernelPool.shared().numThreads());
            // More threads than processors, so that there are some beside the caller's.
            KernelPool.shared().setNumThreads(3);
            Set<String> seen = ConcurrentHashMap.newKeySet();
            KernelPool.shared().run(600, (begin, end) -> seen.add(allowed()));
            assertEquals(Set.of(one), seen);
            return null;
        });
        assertTrue(allowed().startsWith(one), "the other thread's processors are not this one's");
    }

    @Test
    void refusesWhatIsNoListOfProcessors() {
        for (String wrong : new String[] {"", "x", "1-", "3-1", "-1", "4096", "0,,x"}) {
            Exception e = assertThrows(IllegalArgumentException.class, () -> ProcessorAffinity.keepTo(wrong), wrong);
            assertTrue(e.getMessage().startsWith("cpus: " + wrong + " (expected: numbers"), e.getMessage());
        }
    }

    @Test
    void refusesProcessorsThatAreNotThere() {
        Exception e = assertThrows(IllegalArgumentException.class, () -> ProcessorAffinity.keepTo("4000-4001"));
        assertTrue(e.getMessage().startsWith("cpus: 4000-4001 (expected: processors that"), e.getMessage());
    }

    private static boolean isNative() {
        return System.getProperty("os.name").equals("Linux")
                && Kernels.describe().get(2).contains("native");
    }

    private static void onAnotherThread(Callable<Void> work) throws Exception {
        FutureTask<Void> task = new FutureTask<>(work);
        Thread thread = new Thread(task);
        thread.start();
        task.get();
    }

    /** The processors that Linux lets the calling thread run on. */
    private static String allowed() {
        try {
            return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                    .filter(line -> line.startsWith("Cpus_allowed_list:"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
