package org.torchnnapi.nnapi.driver;

/**
 * How a model is to be prepared.
 *
 * @param priority how urgent the preparation and the executions of the prepared model are among others of the device
 * @param control deadline and cancellation of the preparation
 * @param cached what {@link PreparedModel#cacheData} gave an earlier process for the same model and driver version, or null; to be
 *        checked, never trusted: what is damaged is told in a line of the log, and the model prepared as without
 */
public record PrepareOptions(Preference preference, Priority priority, ExecutionControl control, byte[] cached) {
    public static final PrepareOptions DEFAULT =
            new PrepareOptions(Preference.FAST_SINGLE_ANSWER, Priority.MEDIUM, new ExecutionControl(), null);
}
