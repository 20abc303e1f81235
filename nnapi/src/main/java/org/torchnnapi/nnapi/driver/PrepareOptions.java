package org.torchnnapi.nnapi.driver;

import java.util.List;

/**
 * How a model is to be prepared.
 *
 * @param priority how urgent the preparation and the executions of the prepared model are among others of the device
 * @param control deadline and cancellation of the preparation
 * @param cached what {@link PreparedModel#cacheData} gave an earlier process for the same model and driver version, or
 *     null; to be checked, never trusted: what is damaged is told in a line of the log, and the model prepared as
 *     without
 * @param keepsData whether {@link PreparedModel#cacheData} will be asked for, if the model is not started from
 *     {@code cached}
 * @param attributes what the caller says by the device's extensions, each code once
 */
public record PrepareOptions(
        Preference preference,
        Priority priority,
        ExecutionControl control,
        byte[] cached,
        boolean keepsData,
        List<ExtensionAttribute> attributes) {
    public static final PrepareOptions DEFAULT =
            new PrepareOptions(Preference.FAST_SINGLE_ANSWER, Priority.MEDIUM, new ExecutionControl(), null);

    public PrepareOptions {
        attributes = List.copyOf(attributes);
    }

    /** Without attributes. */
    public PrepareOptions(
            Preference preference, Priority priority, ExecutionControl control, byte[] cached, boolean keepsData) {
        this(preference, priority, control, cached, keepsData, List.of());
    }

    /** Without attributes; without a cache's data, or with such data and no wish for others. */
    public PrepareOptions(Preference preference, Priority priority, ExecutionControl control, byte[] cached) {
        this(preference, priority, control, cached, false);
    }
}
