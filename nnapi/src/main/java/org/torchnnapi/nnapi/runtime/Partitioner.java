package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.tensor.platform.Streams;

/**
 * Chooses a device for every operation and groups operations into partitions. The choice is the cheapest along every
 * path from inputs on (exact for chains and trees), then improved operation by operation against its neighbours; all
 * linear in the model.
 */
final class Partitioner {
    private static final int IMPROVEMENT_ROUNDS = 4;

    private final Model model;
    private final ModelSlice.Source source;
    private final List<Device> devices;
    private final CostModel costs;
    private final int count;
    private final DeviceAnswers answers;
    private final int[] chosen;

    /** The outcome: for each partition its device and operations; the explanation is made when asked for. */
    record Result(Partitioner partitioner, int[] partOf, List<Device> partDevices, List<int[]> members) {
        Placement explain() {
            return partitioner.explain(partDevices, members);
        }
    }

    private Partitioner(
            ModelSlice.Source source,
            List<Device> devices,
            PlacementRules rules,
            FailedParts failures,
            Preference preference) {
        this.source = source;
        this.devices = devices;
        model = source.whole();
        costs = new CostModel(source, preference);
        count = model.operations().size();
        answers = new DeviceAnswers(model, devices, rules, failures, costs);
        chosen = new int[count];
    }

    /** @param failures what devices have failed to prepare of this model */
    static Result partition(
            ModelSlice.Source source,
            List<Device> devices,
            PlacementRules rules,
            FailedParts failures,
            Preference preference) {
        Partitioner partitioner = new Partitioner(source, devices, rules, failures, preference);
        partitioner.choose();
        Grouping grouping = new Grouping(
                source,
                devices.stream().map(device -> device.driver().partRules()).collect(Streams.toList()),
                partitioner.chosen);
        return new Result(
                partitioner,
                grouping.partOf(),
                grouping.partDevices().stream().map(devices::get).collect(Streams.toList()),
                grouping.members());
    }

    private void choose() {
        int n = devices.size();
        double[][] best = new double[n][count];
        int[] fanOut = new int[count];
        for (int i = 0; i < count; i++) {
            Operation operation = model.operations().get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                int writer = source.writer(operation.input(j));
                if (writer >= 0) {
                    fanOut[writer]++;
                }
            }
        }
        for (int i = 0; i < count; i++) {
            Operation operation = model.operations().get(i);
            boolean possible = false;
            for (int d = 0; d < n; d++) {
                double total = answers.cost(d, i);
                for (int j = 0; j < operation.inputCount() && total != Double.POSITIVE_INFINITY; j++) {
                    total += cheapestArrival(operation.input(j), d, best, fanOut);
                }
                best[d][i] = total;
                possible |= total != Double.POSITIVE_INFINITY;
            }
            if (!possible) {
                throw answers.refused(i);
            }
        }
        for (int i = count - 1; i >= 0; i--) {
            chosen[i] = cheapest(i, best);
        }
        for (int round = 0; round < IMPROVEMENT_ROUNDS && improve(); round++) {
            continue;
        }
    }

    private double cheapestArrival(int operand, int device, double[][] best, int[] fanOut) {
        int writer = source.writer(operand);
        if (writer < 0) {
            return isModelInput(operand) ? costs.boundary(operand, null, devices.get(device)) : 0;
        }
        double least = Double.POSITIVE_INFINITY;
        for (int e = 0; e < devices.size(); e++) {
            // What a shared producer costs is borne by its readers together.
            double there = best[e][writer] / Math.max(1, fanOut[writer]);
            least = Math.min(least, there + costs.boundary(operand, devices.get(e), devices.get(device)));
        }
        return least;
    }

    /** The device with which everything before and the hand-over to the readers chosen already is cheapest. */
    private int cheapest(int number, double[][] best) {
        Operation operation = model.operations().get(number);
        int winner = -1;
        double least = Double.POSITIVE_INFINITY;
        for (int d = 0; d < devices.size(); d++) {
            double total = best[d][number] == Double.POSITIVE_INFINITY
                    ? best[d][number]
                    : best[d][number] + departure(operation, d, number);
            if (total < least) {
                least = total;
                winner = d;
            }
        }
        return winner;
    }

    /** What it costs to hand the outputs to their readers, those after {@code number} having their device. */
    private double departure(Operation operation, int device, int number) {
        double total = 0;
        for (int j = 0; j < operation.outputCount(); j++) {
            int operand = operation.output(j);
            for (int reader : source.readers(operand)) {
                total += costs.boundary(operand, devices.get(device), devices.get(chosen[reader]));
            }
            if (isModelOutput(operand)) {
                total += costs.boundary(operand, devices.get(device), null);
            }
        }
        return total;
    }

    private double arrival(Operation operation, int device) {
        double total = 0;
        for (int j = 0; j < operation.inputCount(); j++) {
            int operand = operation.input(j);
            int writer = source.writer(operand);
            if (writer >= 0) {
                total += costs.boundary(operand, devices.get(chosen[writer]), devices.get(device));
            } else if (isModelInput(operand)) {
                total += costs.boundary(operand, null, devices.get(device));
            }
        }
        return total;
    }

    private boolean improve() {
        boolean changed = false;
        for (int i = 0; i < count; i++) {
            Operation operation = model.operations().get(i);
            int winner = chosen[i];
            double least = Double.POSITIVE_INFINITY;
            for (int d = 0; d < devices.size(); d++) {
                double total = answers.cost(d, i);
                if (total != Double.POSITIVE_INFINITY) {
                    total += arrival(operation, d) + departure(operation, d, i);
                    if (total < least) {
                        least = total;
                        winner = d;
                    }
                }
            }
            changed |= winner != chosen[i];
            chosen[i] = winner;
        }
        return changed;
    }

    private boolean isModelInput(int operand) {
        return model.operand(operand).lifetime() == Lifetime.SUBGRAPH_INPUT;
    }

    private boolean isModelOutput(int operand) {
        return model.operand(operand).lifetime() == Lifetime.SUBGRAPH_OUTPUT;
    }

    private Placement explain(List<Device> partDevices, List<int[]> members) {
        List<Placement.OperationPlacement> operations = new ArrayList<>(count);
        List<Placement.Boundary> boundaries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Operation operation = model.operations().get(i);
            List<Placement.Alternative> others = new ArrayList<>();
            double here =
                    answers.cost(chosen[i], i) + arrival(operation, chosen[i]) + departure(operation, chosen[i], i);
            for (int d = 0; d < devices.size(); d++) {
                if (d != chosen[i] && (operation.type().isControlFlow() || !ControlFlow.isRuntime(devices.get(d)))) {
                    others.add(alternative(operation, i, d, here));
                }
            }
            operations.add(new Placement.OperationPlacement(
                    i, operation.type(), devices.get(chosen[i]).name(), answers.cost(chosen[i], i), others));
            addBoundaries(operation, i, boundaries);
        }
        List<Placement.Partition> partitions = new ArrayList<>();
        for (int p = 0; p < members.size(); p++) {
            partitions.add(new Placement.Partition(
                    partDevices.get(p).name(),
                    Arrays.stream(members.get(p)).boxed().collect(Streams.toList())));
        }
        return new Placement(operations, partitions, boundaries, List.of());
    }

    private Placement.Alternative alternative(Operation operation, int number, int device, double here) {
        String name = devices.get(device).name();
        if (answers.refusal(device, number) != null) {
            Problem refusal = answers.refusal(device, number);
            return new Placement.Alternative(name, refusal.toString(), Double.NaN, refusal);
        }
        double there = answers.cost(device, number) + arrival(operation, device) + departure(operation, device, number);
        String reason = String.format(Locale.ROOT, "%.2f us with its boundaries (chosen: %.2f us)", there, here);
        return new Placement.Alternative(name, reason, answers.cost(device, number), null);
    }

    private void addBoundaries(Operation operation, int number, List<Placement.Boundary> boundaries) {
        Device here = devices.get(chosen[number]);
        for (int j = 0; j < operation.inputCount(); j++) {
            int operand = operation.input(j);
            int writer = source.writer(operand);
            Device from = writer < 0 ? null : devices.get(chosen[writer]);
            if (from != here && (writer >= 0 || isModelInput(operand))) {
                addBoundary(operand, from, here, boundaries);
            }
        }
        for (int j = 0; j < operation.outputCount(); j++) {
            if (isModelOutput(operation.output(j))) {
                addBoundary(operation.output(j), here, null, boundaries);
            }
        }
    }

    private void addBoundary(int operand, Device from, Device to, List<Placement.Boundary> boundaries) {
        double price = costs.boundary(operand, from, to);
        if (price > 0) {
            boundaries.add(new Placement.Boundary(
                    operand,
                    from == null ? "application" : from.name(),
                    to == null ? "application" : to.name(),
                    (long) costs.bytes(operand),
                    price));
        }
    }
}
