package org.pytorch;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.torchnnapi.engine.LiteSource;
import org.torchnnapi.torchscript.ModuleSource;

/** What is run of files for the lite interpreter. */
final class LiteFiles {
    private static final String COMPARE = "torchnnapi.lite.compare";
    private static final Logger LOG = Logger.getLogger(LiteModuleLoader.class.getName());

    /** One file at a time, behind whatever else the process does; the thread ends when there is nothing to compare. */
    static final ExecutorService COMPARISONS = comparisons();

    private LiteFiles() {}

    /**
     * The byte code of a file. Its source is compared with it on a thread of its own, so that a load does not wait for
     * what it does not need.
     *
     * @param origin what the file is called in warnings
     */
    static ModuleSource byteCode(ModuleSource source, String origin) {
        ModuleSource lite = source.forLite();
        if (lite != source && !"false".equals(System.getProperty(COMPARE))) {
            COMPARISONS.execute(() -> compare(source, origin));
        }
        return lite;
    }

    private static void compare(ModuleSource source, String origin) {
        try {
            LiteSource.differences(source).forEach(difference -> LOG.warning("model " + origin + ": " + difference));
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.warning("model " + origin + ": its source cannot be compared with its byte code: " + e.getMessage());
        }
    }

    private static ExecutorService comparisons() {
        ThreadPoolExecutor comparisons =
                new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), work -> {
                    Thread thread = new Thread(work, "torch-nnapi source comparison");
                    thread.setDaemon(true);
                    thread.setPriority(Thread.MIN_PRIORITY);
                    return thread;
                });
        comparisons.allowCoreThreadTimeOut(true);
        return comparisons;
    }
}
