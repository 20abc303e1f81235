package org.torchnnapi.nnapi.runtime;

import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.Problem;

/**
 * What devices failed to prepare while a model is being compiled: it is not offered to them again, the rest of the
 * model is.
 */
final class FailedParts {
    /** After so many failures a device gets nothing of this model, lest its choice of parts be tried one by one. */
    private static final int PATIENCE = 3;

    private final int operations;
    private final Map<Device, Problem[]> problems = new IdentityHashMap<>();
    private final Map<Device, Integer> counts = new IdentityHashMap<>();

    /** @param operations of the model */
    FailedParts(int operations) {
        this.operations = operations;
    }

    /** @param members the numbers of the part's operations */
    void add(Device device, int[] members, String reason) {
        Problem problem = Problem.of("part", reason, "one that the device can prepare");
        Problem[] byOperation = problems.computeIfAbsent(device, d -> new Problem[operations]);
        boolean all = counts.merge(device, 1, Integer::sum) >= PATIENCE;
        for (int i = 0; i < (all ? operations : members.length); i++) {
            byOperation[all ? i : members[i]] = problem;
        }
    }

    /** Why the device failed at a part with this operation, or null if it did not. */
    Problem problem(Device device, int operation) {
        Problem[] byOperation = problems.get(device);
        return byOperation == null ? null : byOperation[operation];
    }
}
