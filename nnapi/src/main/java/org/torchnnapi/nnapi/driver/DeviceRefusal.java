package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.Problem;

/**
 * Why a device does not take an operation.
 *
 * @param operation its number in the model
 * @param problem the rule of the device that it breaks
 */
public record DeviceRefusal(int operation, Problem problem) {
    /**
     * @param rule what the rule is about, such as {@code activation}
     * @param found its value
     * @param expected what the device would take
     */
    public static DeviceRefusal of(int operation, String rule, Object found, String expected) {
        return new DeviceRefusal(operation, Problem.of(rule, found, expected));
    }

    @Override
    public String toString() {
        return "operation " + operation + ": " + problem;
    }
}
