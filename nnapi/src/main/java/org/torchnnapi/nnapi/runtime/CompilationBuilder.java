package org.torchnnapi.nnapi.runtime;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExtensionAttribute;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.ArenaLayout;

/**
 * Says how a model is to be compiled, then compiles it. Without devices the runtime chooses among all installed ones.
 * Not thread-safe.
 */
public final class CompilationBuilder {
    /** The specification's size of a cache token. */
    public static final int TOKEN_BYTES = 32;

    final Model model;
    Devices devices = Devices.installed();
    List<Device> chosen;
    final List<ExtensionAttribute> attributes = new ArrayList<>();
    Preference preference = Preference.FAST_SINGLE_ANSWER;
    Priority priority = Priority.MEDIUM;
    PlacementRules rules = PlacementRules.NONE;
    TraceListener trace;
    Path cacheDirectory;
    byte[] cacheToken;
    long deviceTimeoutNanos;
    boolean fallback = true;
    boolean contradictionsLater;
    /** The largest value between steps that shares memory with others. */
    long arenaChunkBytes = ArenaLayout.CHUNK_BYTES;

    final ExecutionControl control;
    private long timeoutNanos;
    private boolean finished;

    /** @param model finished, and not changed by compilations, of which it may have several */
    public CompilationBuilder(Model model) {
        this(model, new ExecutionControl());
    }

    private CompilationBuilder(Model model, ExecutionControl control) {
        this.model = Objects.requireNonNull(model, "model");
        this.control = control;
    }

    /** Chooses among these devices instead of all installed ones. */
    public CompilationBuilder setAvailable(Devices available) {
        requireOpen();
        devices = Objects.requireNonNull(available);
        return this;
    }

    /**
     * Compiles for exactly these devices; every operation must be taken by one of them, and what one fails at fails.
     *
     * @throws NnapiException BAD_DATA if the list is empty or names a device twice
     */
    public CompilationBuilder setDevices(List<Device> list) {
        requireOpen();
        if (list.isEmpty() || list.stream().distinct().count() != list.size()) {
            throw new NnapiException(ResultCode.BAD_DATA, "devices: " + list + " (expected: at least one, each once)");
        }
        chosen = List.copyOf(list);
        return this;
    }

    /**
     * Tells the one device of {@link #setDevices} something that an extension of its defines.
     *
     * @param data copied; null for none
     * @throws NnapiException BAD_DATA if there is no such device, it lacks the extension, or the code was given already
     */
    public CompilationBuilder addExtensionAttribute(ExtensionCode code, byte[] data) {
        requireOpen();
        ExtensionAttribute attribute = new ExtensionAttribute(code, data);
        attribute.requireFor(onlyDriver(), attributes);
        attributes.add(attribute);
        return this;
    }

    /** Of the one device that was chosen; else null. */
    Driver onlyDriver() {
        return chosen != null && chosen.size() == 1 ? chosen.get(0).driver() : null;
    }

    /** What devices shall aim for, and the choice among them; FAST_SINGLE_ANSWER unless set. */
    public CompilationBuilder setPreference(Preference newPreference) {
        requireOpen();
        preference = Objects.requireNonNull(newPreference);
        return this;
    }

    /**
     * How urgent the preparation and the executions are among others of a device; MEDIUM unless set. On the fast device
     * the most urgent of those that wait goes first, then the one with the earliest deadline.
     */
    public CompilationBuilder setPriority(Priority newPriority) {
        requireOpen();
        priority = Objects.requireNonNull(newPriority);
        return this;
    }

    /** How long compiling may take, from {@link #finish} on. */
    public CompilationBuilder setTimeout(Duration timeout) {
        requireOpen();
        timeoutNanos = requirePositive(timeout);
        return this;
    }

    /**
     * How long a device other than the reference may take to prepare or execute one part before it counts as hung;
     * without it a device is trusted to return.
     */
    public CompilationBuilder setDeviceTimeout(Duration timeout) {
        requireOpen();
        deviceTimeoutNanos = requirePositive(timeout);
        return this;
    }

    /** What is allowed and denied. */
    public CompilationBuilder setPlacementRules(PlacementRules newRules) {
        requireOpen();
        rules = Objects.requireNonNull(newRules);
        return this;
    }

    /**
     * Whether the reference device finishes what another fails at, where the runtime chooses the devices; true unless
     * set.
     */
    public CompilationBuilder setFallback(boolean allowed) {
        requireOpen();
        fallback = allowed;
        return this;
    }

    /**
     * Compiles also a model whose operations the devices take, but whose shapes or constants do not go together: its
     * executions end in OP_FAILED, as on Android. Unless set, {@link #finish} refuses it with BAD_DATA.
     */
    public CompilationBuilder leaveContradictionsToExecutions() {
        requireOpen();
        contradictionsLater = true;
        return this;
    }

    /** Who is told of every step of compilation and executions; nobody if null, as it is unless set. */
    public CompilationBuilder setTrace(TraceListener listener) {
        requireOpen();
        trace = listener;
        return this;
    }

    /**
     * Keeps what drivers prepared, so that a later process need not prepare again. What is found damaged, foreign or
     * old is ignored.
     *
     * @param token identifies model and settings
     * @throws NnapiException BAD_DATA unless the token has {@value #TOKEN_BYTES} bytes
     */
    public CompilationBuilder setCaching(Path directory, byte[] token) {
        requireOpen();
        if (token.length != TOKEN_BYTES) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "cache token: " + token.length + " bytes (expected: " + TOKEN_BYTES + ")");
        }
        cacheDirectory = Objects.requireNonNull(directory);
        cacheToken = token.clone();
        return this;
    }

    /** The compilation's own switch to be stopped from another thread. */
    public void cancel() {
        control.cancel();
    }

    /**
     * Partitions the model and has every part prepared.
     *
     * @throws NnapiException BAD_DATA if no device takes an operation, MISSED_DEADLINE past the timeout, BAD_STATE if
     *     called twice
     */
    public Compilation finish() {
        requireOpen();
        finished = true;
        if (timeoutNanos > 0) {
            control.deadline(System.nanoTime() + timeoutNanos);
        }
        return Compilation.compile(this);
    }

    /** The same settings for a model that this one refers to; not cached, as the token stands for the whole. */
    CompilationBuilder forReferenced(Model referenced) {
        CompilationBuilder builder = new CompilationBuilder(referenced, control);
        builder.devices = devices;
        builder.chosen = chosen;
        builder.attributes.addAll(attributes);
        builder.preference = preference;
        builder.priority = priority;
        builder.rules = rules;
        builder.trace = trace;
        builder.deviceTimeoutNanos = deviceTimeoutNanos;
        builder.fallback = fallback;
        builder.arenaChunkBytes = arenaChunkBytes;
        return builder;
    }

    /** Whether the reference device may finish what another fails at: never where the devices were given. */
    boolean mayFallBack() {
        return fallback && chosen == null;
    }

    List<Device> candidates() {
        return new ArrayList<>(chosen == null ? devices.all() : chosen);
    }

    private void requireOpen() {
        if (finished) {
            throw new NnapiException(ResultCode.BAD_STATE, "compilation: finished (expected: before finish)");
        }
    }

    static long requirePositive(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new NnapiException(ResultCode.BAD_DATA, "timeout: " + timeout + " (expected: > 0)");
        }
        return timeout.compareTo(Duration.ofDays(365)) > 0
                ? Duration.ofDays(365).toNanos()
                : timeout.toNanos();
    }
}
