package org.torchnnapi.engine;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.PlacementRules;
import org.torchnnapi.nnapi.runtime.TraceListener;

/**
 * How models are run: their NNAPI parts, and what stays on the CPU. Each {@code with} method gives the same options but
 * for the one that it names.
 *
 * @param devices the devices to choose among
 * @param only names of the devices to use and no others; empty to let the runtime choose
 * @param preference what to aim for, or null for what the model asks for
 * @param rules operations that devices are denied
 * @param fallback whether the reference device finishes what another device fails at
 * @param deviceTimeout how long a device may take for a step before it counts as hung, or null to wait
 * @param trace receives what the runtime does, or null
 * @param specialise whether methods on the CPU are compiled for the types of their arguments; otherwise operators are
 *     interpreted
 * @param observer is given what every operation of NNAPI models writes, or null; models compiled for it have all of
 *     that as outputs
 * @param deadline how long loading, and each call, may take before it fails, or null for ever
 */
public record EngineOptions(
        Devices devices,
        List<String> only,
        Preference preference,
        PlacementRules rules,
        boolean fallback,
        Duration deviceTimeout,
        TraceListener trace,
        boolean specialise,
        NnapiObserver observer,
        Duration deadline) {
    public EngineOptions {
        if (deadline != null && (deadline.isNegative() || deadline.isZero())) {
            throw new IllegalArgumentException("deadline: " + deadline + " (expected: more than 0, or null for none)");
        }
        Objects.requireNonNull(devices, "devices");
        Objects.requireNonNull(rules, "rules");
        only = List.copyOf(only);
    }

    /** All installed devices, chosen by the runtime. */
    public static EngineOptions defaults() {
        return new EngineOptions(
                Devices.installed(), List.of(), null, PlacementRules.NONE, true, null, null, true, null, null);
    }

    /** @param available from which the runtime chooses; not null */
    public EngineOptions withDevices(Devices available) {
        return new EngineOptions(
                available, only, preference, rules, fallback, deviceTimeout, trace, specialise, observer, deadline);
    }

    /** @param names of devices, in no particular order */
    public EngineOptions withOnly(List<String> names) {
        return new EngineOptions(
                devices, names, preference, rules, fallback, deviceTimeout, trace, specialise, observer, deadline);
    }

    /** @param wanted what to aim for, or null for what the model asks for */
    public EngineOptions withPreference(Preference wanted) {
        return new EngineOptions(
                devices, only, wanted, rules, fallback, deviceTimeout, trace, specialise, observer, deadline);
    }

    /** @param newRules operations that devices are denied; not null */
    public EngineOptions withRules(PlacementRules newRules) {
        return new EngineOptions(
                devices, only, preference, newRules, fallback, deviceTimeout, trace, specialise, observer, deadline);
    }

    /**
     * @param allowed whether the reference device finishes what another fails at; otherwise the failure is the caller's
     */
    public EngineOptions withFallback(boolean allowed) {
        return new EngineOptions(
                devices, only, preference, rules, allowed, deviceTimeout, trace, specialise, observer, deadline);
    }

    /** @param timeout after which a device that computes a step counts as hung, or null to wait */
    public EngineOptions withDeviceTimeout(Duration timeout) {
        return new EngineOptions(
                devices, only, preference, rules, fallback, timeout, trace, specialise, observer, deadline);
    }

    /** @param listener called on the threads that do what it is told, or null */
    public EngineOptions withTrace(TraceListener listener) {
        return new EngineOptions(
                devices, only, preference, rules, fallback, deviceTimeout, listener, specialise, observer, deadline);
    }

    /**
     * @param wanted whether methods on the CPU are compiled; interpreted operators round each by itself and are slower
     */
    public EngineOptions withSpecialise(boolean wanted) {
        return new EngineOptions(
                devices, only, preference, rules, fallback, deviceTimeout, trace, wanted, observer, deadline);
    }

    /** @param given for one run at a time, or null; what is observed computes more outputs, and slower */
    public EngineOptions withObserver(NnapiObserver given) {
        return new EngineOptions(
                devices, only, preference, rules, fallback, deviceTimeout, trace, specialise, given, deadline);
    }

    /** @param limit of loading, and of each call, or null for none */
    public EngineOptions withDeadline(Duration limit) {
        return new EngineOptions(
                devices, only, preference, rules, fallback, deviceTimeout, trace, specialise, observer, limit);
    }
}
