package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.tensor.platform.Strings;

/**
 * Where everything runs, and why.
 *
 * @param operations one entry for each operation of the model, in its order
 * @param partitions in the order they run
 * @param boundaries operands that change device
 * @param referenced the models that IF and WHILE operations refer to
 */
public record Placement(
        List<OperationPlacement> operations,
        List<Partition> partitions,
        List<Boundary> boundaries,
        List<Referenced> referenced) {
    /**
     * Where one operation runs.
     *
     * @param cost estimated microseconds on the chosen device
     * @param others the devices not chosen
     */
    public record OperationPlacement(
            int number, OperationType type, String device, double cost, List<Alternative> others) {}

    /**
     * A device that was not chosen.
     *
     * @param reason why not, for reading
     * @param cost estimated microseconds there; NaN if it cannot run the operation
     * @param refusal the rule by which it cannot, null if it could
     */
    public record Alternative(String device, String reason, double cost, Problem refusal) {}

    /** Operations that one device runs in one go. */
    public record Partition(String device, List<Integer> operations) {}

    /**
     * An operand handed from one device to another.
     *
     * @param from device, or "application"
     * @param to device, or "application"
     * @param cost estimated microseconds
     */
    public record Boundary(int operand, String from, String to, long bytes, double cost) {}

    /**
     * The placement of a referenced model.
     *
     * @param operation number of the IF or WHILE
     * @param input position of the model among its inputs
     */
    public record Referenced(int operation, int input, Placement placement) {}

    public Placement {
        operations = List.copyOf(operations);
        partitions = List.copyOf(partitions);
        boundaries = List.copyOf(boundaries);
        referenced = List.copyOf(referenced);
    }

    /** The placement as maps, lists, strings and numbers, ready for a JSON writer. */
    public Map<String, Object> toMap() {
        List<Object> operationList = new ArrayList<>();
        for (OperationPlacement operation : operations) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("operation", operation.number());
            entry.put("type", operation.type().name());
            entry.put("device", operation.device());
            entry.put("costMicros", operation.cost());
            List<Object> others = new ArrayList<>();
            for (Alternative other : operation.others()) {
                Map<String, Object> alternative = new LinkedHashMap<>();
                alternative.put("device", other.device());
                alternative.put("reason", other.reason());
                if (other.refusal() != null) {
                    alternative.put("rule", other.refusal().rule());
                    alternative.put("found", other.refusal().found());
                    alternative.put("expected", other.refusal().expected());
                }
                if (!Double.isNaN(other.cost())) {
                    alternative.put("costMicros", other.cost());
                }
                others.add(alternative);
            }
            entry.put("others", others);
            operationList.add(entry);
        }
        List<Object> partitionList = new ArrayList<>();
        for (Partition partition : partitions) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("device", partition.device());
            entry.put("operations", partition.operations());
            partitionList.add(entry);
        }
        List<Object> boundaryList = new ArrayList<>();
        for (Boundary boundary : boundaries) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("operand", boundary.operand());
            entry.put("from", boundary.from());
            entry.put("to", boundary.to());
            entry.put("bytes", boundary.bytes());
            entry.put("costMicros", boundary.cost());
            boundaryList.add(entry);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("operations", operationList);
        map.put("partitions", partitionList);
        map.put("boundaries", boundaryList);
        List<Object> referencedList = new ArrayList<>();
        for (Referenced other : referenced) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("operation", other.operation());
            entry.put("input", other.input());
            entry.put("placement", other.placement().toMap());
            referencedList.add(entry);
        }
        map.put("referenced", referencedList);
        return map;
    }

    /** The placement for reading, a line for each operation. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        for (OperationPlacement operation : operations) {
            text.append(String.format(
                    Locale.ROOT,
                    "%5d  %-28s %-16s %10.2f us",
                    operation.number(),
                    operation.type(),
                    operation.device(),
                    operation.cost()));
            for (Alternative other : operation.others()) {
                text.append("  | ").append(other.device()).append(": ").append(other.reason());
            }
            text.append('\n');
        }
        text.append(Strings.counted(partitions.size(), "partition")).append('\n');
        for (Partition partition : partitions) {
            text.append("  ")
                    .append(partition.device())
                    .append(": ")
                    .append(Strings.counted(partition.operations().size(), "operation"))
                    .append('\n');
        }
        for (Boundary boundary : boundaries) {
            text.append(String.format(
                    Locale.ROOT,
                    "  operand %d: %s -> %s, %d bytes, %.2f us%n",
                    boundary.operand(),
                    boundary.from(),
                    boundary.to(),
                    boundary.bytes(),
                    boundary.cost()));
        }
        for (Referenced other : referenced) {
            text.append("model ")
                    .append(other.input())
                    .append(" of operation ")
                    .append(other.operation())
                    .append(":\n")
                    .append(Strings.indent(other.placement().toText(), 2));
        }
        return text.toString();
    }
}
