package org.torchnnapi.nnapi.runtime;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelValidator;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.model.ResultCode;

/** What every device answers about every operation of a model: what it costs there, or why not. */
final class DeviceAnswers {
    private final Model model;
    private final List<Device> devices;
    private final int count;
    /** By device and operation: microseconds, infinite where refused. */
    private final double[][] cost;
    /** By device and operation; null where it is taken. */
    private final Problem[][] refusals;

    DeviceAnswers(Model model, List<Device> devices, PlacementRules rules, FailedParts failures, CostModel costs) {
        this.model = model;
        this.devices = devices;
        count = model.operations().size();
        cost = new double[devices.size()][count];
        refusals = new Problem[devices.size()][];
        for (int d = 0; d < devices.size(); d++) {
            ask(d, rules, failures, costs);
        }
    }

    /** Microseconds, infinite where refused. */
    double cost(int device, int operation) {
        return cost[device][operation];
    }

    /** Null where the device takes the operation. */
    Problem refusal(int device, int operation) {
        return refusals[device][operation];
    }

    /** What to tell of an operation that no device takes. */
    NnapiException refused(int operation) {
        StringBuilder reasons = new StringBuilder();
        boolean steered = model.operations().get(operation).type().isControlFlow();
        for (int d = 0; d < devices.size(); d++) {
            if (ControlFlow.isRuntime(devices.get(d)) && !steered) {
                continue;
            }
            reasons.append(d == 0 ? "" : "; ")
                    .append(devices.get(d).name())
                    .append(": ")
                    .append(refusals[d][operation]);
        }
        return new NnapiException(
                ResultCode.BAD_DATA,
                "operation " + operation + " "
                        + model.operations().get(operation).type() + ": no device takes it (" + reasons + ")");
    }

    private void ask(int d, PlacementRules rules, FailedParts failures, CostModel costs) {
        Device device = devices.get(d);
        refusals[d] = refusalsOf(device);
        Capabilities capabilities = device.capabilities();
        for (int i = 0; i < count; i++) {
            Operation operation = model.operations().get(i);
            if (refusals[d][i] == null && !rules.isEmpty() && !ControlFlow.isRuntime(device)) {
                refusals[d][i] = rules.denial(device, operation.type(), i);
            }
            if (refusals[d][i] == null) {
                refusals[d][i] = failures.problem(device, i);
            }
            cost[d][i] = refusals[d][i] == null
                    ? costs.onDevice(operation, costs.work(operation), device, capabilities)
                    : Double.POSITIVE_INFINITY;
        }
    }

    private Problem[] refusalsOf(Device device) {
        Problem[] answer = new Problem[count];
        String fence = device.fenced();
        if (fence != null) {
            Arrays.fill(answer, Problem.of("device", "fenced off: " + fence, "at work"));
            return answer;
        }
        DeviceRefusal[] refused;
        try {
            refused = device.answers(model);
        } catch (NnapiException e) {
            Arrays.fill(answer, Problem.ofMessage(e.getMessage()));
            return answer;
        }
        boolean full = device.featureLevel().includes(model.featureLevelNeed().level());
        for (int i = 0; i < count; i++) {
            answer[i] = refused[i] == null ? null : refused[i].problem();
            if (answer[i] == null && !full) {
                FeatureLevelNeed need =
                        ModelValidator.verdict(model, model.operations().get(i)).need();
                if (!device.featureLevel().includes(need.level())) {
                    answer[i] = Problem.of("feature level", need, "at most " + device.featureLevel());
                }
            }
        }
        return answer;
    }
}
