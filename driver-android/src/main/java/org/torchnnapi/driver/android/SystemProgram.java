package org.torchnnapi.driver.android;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.CacheFiles;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.ExtensionAttribute;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Reachability;

/** A model compiled by the system's runtime for one of its devices. */
final class SystemProgram implements PreparedModel {
    private static final Logger LOG = Logger.getLogger(SystemProgram.class.getName());

    private final SystemDriver driver;
    private final SystemLibrary system;
    private final Model model;
    private final PrepareOptions options;
    private final SystemModel built;
    private final long compilation;
    private final boolean fromCache;
    /** Cache data until they are asked for. */
    private byte[] written;
    /** What executions copy inputs and outputs through, one each of those that ran at the same time. */
    private final ConcurrentLinkedQueue<StagedMemory> spare = new ConcurrentLinkedQueue<>();

    private SystemProgram(
            SystemDriver driver,
            Model model,
            PrepareOptions options,
            SystemModel built,
            long compilation,
            boolean fromCache,
            byte[] written) {
        this.fromCache = fromCache;
        this.written = written;
        this.driver = driver;
        this.system = driver.system();
        this.model = model;
        this.options = options;
        this.built = built;
        this.compilation = compilation;
    }

    static SystemProgram prepare(SystemDriver driver, Model model, PrepareOptions options) {
        SystemModel built = SystemModel.of(driver.system(), model, i -> true);
        try {
            Map<String, byte[]> cached = cached(driver, options);
            boolean keeps = cached == null && options.keepsData() && driver.keepsCacheData();
            try (CacheFolder folder = keeps || cached != null ? folder(keeps ? Map.of() : cached) : null) {
                long compilation = compile(driver, built, options, folder);
                byte[] written = folder != null && keeps ? content(folder) : null;
                return new SystemProgram(driver, model, options, built, compilation, folder != null && !keeps, written);
            }
        } catch (RuntimeException e) {
            built.close();
            throw e;
        }
    }

    /** The system's files that the model is to be started from; null where there are none, or none to be used. */
    private static Map<String, byte[]> cached(SystemDriver driver, PrepareOptions options) {
        if (options.cached() == null || !driver.keepsCacheData()) {
            return null;
        }
        try {
            return CacheFiles.unpack(options.cached());
        } catch (NnapiException e) {
            LOG.warning("device " + driver.name() + ": " + e.getMessage() + "; the model is compiled anew");
            return null;
        }
    }

    private static long compile(SystemDriver driver, SystemModel built, PrepareOptions options, CacheFolder folder) {
        SystemLibrary system = driver.system();
        options.control().check();
        long compilation = create(driver, built);
        try {
            system.must(
                    "Compilation_setPreference",
                    compilation,
                    options.preference().ordinal());
            if (driver.device() != 0 && driver.has(FeatureLevel.V1_3, "Compilation_setPriority")) {
                system.must(
                        "Compilation_setPriority",
                        compilation,
                        options.priority().code());
                if (options.control().hasDeadline()) {
                    system.mustWithDuration(
                            "Compilation_setTimeout",
                            compilation,
                            left(options.control().deadline()));
                }
            }
            if (folder != null) {
                ForeignMemory path = ForeignMemory.of(folder.path() + "/");
                ForeignMemory token = ForeignMemory.of(CacheFolder.TOKEN);
                int code = (int) system.call("Compilation_setCaching", compilation, path.address(), token.address());
                if (code != 0) {
                    LOG.warning("the system's cache is not used: "
                            + SystemLibrary.failed("Compilation_setCaching", code)
                                    .getMessage());
                }
                Reachability.fence(path);
                Reachability.fence(token);
            }
            tell(system, "Compilation_addExtensionAttribute", compilation, options.attributes());
            system.must("Compilation_finish", compilation);
            return compilation;
        } catch (RuntimeException e) {
            system.call("Compilation_free", compilation);
            throw e;
        }
    }

    /** Hands on what the caller says by the device's extensions. */
    private static void tell(SystemLibrary system, String function, long handle, List<ExtensionAttribute> attributes) {
        for (ExtensionAttribute attribute : attributes) {
            ForeignMemory name = ForeignMemory.of(attribute.code().extension());
            byte[] data = attribute.data();
            ForeignMemory bytes = ForeignMemory.of(data);
            system.must(
                    function,
                    handle,
                    name.address(),
                    attribute.code().code(),
                    data.length == 0 ? 0 : bytes.address(),
                    data.length);
            Reachability.fence(name);
            Reachability.fence(bytes);
        }
    }

    private static long create(SystemDriver driver, SystemModel built) {
        if (driver.device() == 0) {
            return driver.system().made("Compilation_create", built.handle());
        }
        ForeignMemory devices = new ForeignMemory(ForeignMemory.WORD);
        devices.putWord(0, driver.device());
        long compilation = driver.system().made("Compilation_createForDevices", built.handle(), devices.address(), 1);
        Reachability.fence(devices);
        return compilation;
    }

    /** Nanoseconds up to a deadline, at least one. */
    private static long left(long deadline) {
        return Math.max(1, deadline - System.nanoTime());
    }

    /** The system's handle. */
    long compilation() {
        return compilation;
    }

    @Override
    public void execute(ExecutionRequest request) {
        execute(request, 0);
    }

    /** @param burst 0 for none */
    private void execute(ExecutionRequest request, long burst) {
        StagedMemory staging = spare.poll();
        if (staging == null) {
            staging = new StagedMemory(model, built, driver);
        }
        long execution = begin(request, staging);
        try {
            finish(request, staging, execution, compute(execution, burst));
        } finally {
            system.call("Execution_free", execution);
        }
        // What failed may still be written by a device that is late: its memory is not used again.
        spare.add(staging);
    }

    private long begin(ExecutionRequest request, StagedMemory staging) {
        request.control().check();
        long execution = system.made("Execution_create", compilation);
        try {
            if (driver.device() != 0) {
                if (request.isTimed() && driver.has(FeatureLevel.V1_2, "Execution_setMeasureTiming")) {
                    system.must("Execution_setMeasureTiming", execution, 1);
                }
                if (driver.has(FeatureLevel.V1_3, "Execution_setTimeout")) {
                    if (request.control().hasDeadline()) {
                        system.mustWithDuration(
                                "Execution_setTimeout",
                                execution,
                                left(request.control().deadline()));
                    }
                    system.mustWithDuration(
                            "Execution_setLoopTimeout",
                            execution,
                            request.control().loopTimeoutNanos());
                }
            }
            tell(system, "Execution_addExtensionAttribute", execution, request.attributes());
            staging.bind(system, execution, request);
            return execution;
        } catch (RuntimeException e) {
            system.call("Execution_free", execution);
            throw e;
        }
    }

    /** The result code of computing. */
    private int compute(long execution, long burst) {
        if (burst != 0) {
            return (int) system.call("Execution_burstCompute", execution, burst);
        }
        if (system.has("Execution_compute")) {
            return (int) system.call("Execution_compute", execution);
        }
        long event = system.made("Execution_startCompute", execution);
        try {
            return (int) system.call("Event_wait", event);
        } finally {
            system.call("Event_free", event);
        }
    }

    private void finish(ExecutionRequest request, StagedMemory staging, long execution, int code) {
        boolean tooSmall = code == ResultCode.OUTPUT_INSUFFICIENT_SIZE.code();
        if (code != 0 && !tooSmall) {
            throw SystemLibrary.failed("Execution_compute", code);
        }
        if (!staging.report(system, execution, request) || tooSmall) {
            throw SystemLibrary.failed("Execution_compute", ResultCode.OUTPUT_INSUFFICIENT_SIZE.code());
        }
        staging.giveBack(request);
        if (request.isTimed() && driver.device() != 0 && driver.has(FeatureLevel.V1_2, "Execution_getDuration")) {
            ForeignMemory place = new ForeignMemory(Long.BYTES);
            request.reportHardwareNanos(duration(execution, 0, place));
            request.reportDriverNanos(duration(execution, 1, place));
        }
    }

    /** -1 where the system does not know, which it says by the largest number. */
    private long duration(long execution, int which, ForeignMemory place) {
        return (int) system.call("Execution_getDuration", execution, which, place.address()) == 0
                ? place.getLong(0)
                : -1;
    }

    @Override
    public BurstState openBurst() {
        if (driver.device() == 0 || !driver.has(FeatureLevel.V1_2, "Burst_create")) {
            return null;
        }
        long burst = system.made("Burst_create", compilation);
        return new BurstState() {
            @Override
            public void execute(ExecutionRequest request) {
                SystemProgram.this.execute(request, burst);
            }

            @Override
            public void close() {
                system.call("Burst_free", burst);
            }
        };
    }

    @Override
    public boolean takesFences() {
        return driver.device() != 0 && driver.has(FeatureLevel.V1_3, "Execution_startComputeWithDependencies");
    }

    /**
     * Fences that have descriptors are handed to the system as events; for others it waits here, and for all where
     * inputs must be copied, which may be what the fences stand for.
     */
    @Override
    public Fence executeBehind(ExecutionRequest request, List<Fence> fences) {
        boolean handedOn = StagedMemory.readsInPlace(request, driver);
        if (!handedOn) {
            fences.forEach(Fence::await);
        }
        StagedMemory staging = new StagedMemory(model, built, driver);
        long execution = begin(request, staging);
        long event;
        try (SystemEvents events = SystemEvents.of(system, handedOn ? fences : List.of())) {
            event = system.startedAfter(execution, events);
        } catch (RuntimeException e) {
            system.call("Execution_free", execution);
            throw e;
        }
        return new SystemFence(system, event, staging.writesInPlace(request), code -> {
            try {
                finish(request, staging, execution, code);
            } finally {
                system.call("Execution_free", execution);
            }
        });
    }

    /** What the system wrote as it compiled; null where that is nothing. */
    @Override
    public byte[] cacheData() {
        byte[] data = written;
        written = null;
        return data;
    }

    /** Null where there cannot be one, which is no reason to fail. */
    private static CacheFolder folder(Map<String, byte[]> files) {
        try {
            return CacheFolder.of(files);
        } catch (NnapiException e) {
            LOG.warning("the system's cache is not used: " + e.getMessage());
            return null;
        }
    }

    /** A cache that cannot be kept is no reason to fail. */
    private static byte[] content(CacheFolder folder) {
        try {
            return folder.content();
        } catch (NnapiException e) {
            LOG.warning("the system's cache is not kept: " + e.getMessage());
            return null;
        }
    }

    /** Whether the system took the files, it does not tell. */
    @Override
    public boolean isFromCache() {
        return fromCache;
    }

    @Override
    public void close() {
        system.call("Compilation_free", compilation);
        built.close();
    }
}
