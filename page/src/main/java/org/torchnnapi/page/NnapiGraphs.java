package org.torchnnapi.page;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongToDoubleFunction;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.nnapi.op.OperationTable;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.platform.Strings;

/** Draws NNAPI models: their operations with operands, weights, and where each runs and why. */
final class NnapiGraphs {
    private static final int SHOWN_VALUES = 8;
    private static final double MICROS_OF_MILLI = 1e3;

    private final Picture picture;
    private final Map<Object, Item> drawn = new IdentityHashMap<>();
    private final Map<Operation, Item> operations = new IdentityHashMap<>();
    private final List<List<OperationLines.Line>> lines = new ArrayList<>();

    NnapiGraphs(Picture picture) {
        this.picture = picture;
    }

    /** Tells where operations come from, of the models of a file in any order. */
    void lines(List<List<OperationLines.Line>> models) {
        lines.addAll(models);
    }

    /**
     * The origins of a model's operations, by its operations, as models are drawn in the order of their runs; empty
     * where none are known.
     */
    private List<OperationLines.Line> lines(Model model) {
        List<String> types = model.operations().stream()
                .map(operation -> operation.type().name())
                .toList();
        for (List<OperationLines.Line> candidate : lines) {
            if (candidate.stream().map(OperationLines.Line::operation).toList().equals(types)) {
                lines.remove(candidate);
                return candidate;
            }
        }
        return List.of();
    }

    /** The group of a part that was run, drawn at its first call. */
    Item draw(Item into, NnapiPart part) {
        List<Compilation> compilations = part.compilations();
        Compilation latest = compilations.isEmpty() ? null : compilations.get(compilations.size() - 1);
        return latest == null ? draw(into, part, part.model()) : draw(into, part, latest.model(), latest.placement());
    }

    /**
     * The group of a model that was not run, drawn at its first call.
     *
     * @param owner what has the model, known by its identity
     */
    Item draw(Item into, Object owner, Model model) {
        return draw(into, owner, model, null);
    }

    /** @param placement null if it is not known */
    private Item draw(Item into, Object owner, Model model, Placement placement) {
        Item known = drawn.get(owner);
        if (known != null) {
            return known;
        }
        int number = drawn.size();
        Item group = picture.add(into, Item.Kind.NNAPI, "NNAPI segment " + number);
        if (group == null) {
            return into;
        }
        drawn.put(owner, group);
        group.under = Strings.counted(model.operations().size(), "operation");
        group.fact(
                "NNAPI model",
                Strings.counted(model.operations().size(), "operation") + "; lowest feature level: "
                        + model.featureLevelNeed());
        model.featureLevelNeed().reasons().forEach(reason -> group.fact("NNAPI model", reason));
        if (placement != null) {
            boundaries(group, placement);
        }
        operations(group, model, placement);
        return group;
    }

    private static void boundaries(Item group, Placement placement) {
        for (int i = 0; i < placement.partitions().size(); i++) {
            Placement.Partition partition = placement.partitions().get(i);
            group.fact(
                    "Partitions",
                    i + ": " + partition.device() + ", "
                            + Strings.counted(partition.operations().size(), "operation"));
        }
        double cost = 0;
        long bytes = 0;
        for (Placement.Boundary boundary : placement.boundaries()) {
            cost += boundary.cost();
            bytes += boundary.bytes();
        }
        group.fact(
                "Boundaries",
                placement.boundaries().size() + " operands change hands: " + bytes + " bytes, " + number(cost)
                        + " us estimated");
    }

    private void operations(Item group, Model model, Placement placement) {
        Map<Integer, Item> makers = new HashMap<>();
        for (int i = 0; i < model.inputCount(); i++) {
            Item pin = picture.add(group, Item.Kind.PIN, "input " + i);
            if (pin != null) {
                pin.under = "argument";
                pin.fact("Operand", text(model.input(i).descriptor()));
                boundary(pin, placement, model.inputs()[i]);
                makers.put(model.inputs()[i], pin);
            }
        }
        List<OperationLines.Line> origins = lines(model);
        ModuleGroups modules = new ModuleGroups(
                picture,
                group,
                origins.stream().map(OperationLines.Line::module).toList());
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            Item item = picture.add(
                    i < origins.size() ? modules.of(origins.get(i).module()) : group,
                    Item.Kind.OPERATION,
                    operation.type().name());
            if (item == null) {
                return;
            }
            operations.put(operation, item);
            item.fact("Operation", i + " " + operation.type());
            if (i < origins.size()) {
                origin(item, origins.get(i));
            }
            operands(item, model, operation, makers);
            if (placement != null) {
                place(item, placement.operations().get(i), placement, operation);
            }
            for (int output : operation.outputs()) {
                makers.put(output, item);
            }
        }
        for (int i = 0; i < model.outputCount(); i++) {
            Item pin = picture.add(group, Item.Kind.PIN, "output " + i);
            if (pin != null) {
                pin.under = "result";
                pin.fact("Operand", text(model.output(i).descriptor()));
                boundary(pin, placement, model.outputs()[i]);
                if (makers.containsKey(model.outputs()[i])) {
                    picture.link(makers.get(model.outputs()[i]), pin);
                }
            }
        }
    }

    private static void origin(Item item, OperationLines.Line line) {
        if (!line.module().isEmpty()) {
            item.fact("Module", line.module());
        }
        if (!line.place().isEmpty()) {
            item.fact(line.text().isEmpty() ? "Code" : "Python", line.place());
        }
        if (!line.text().isEmpty()) {
            item.fact("Python", line.text());
        }
    }

    private void operands(Item item, Model model, Operation operation, Map<Integer, Item> makers) {
        OperandNames names = OperationTable.get(operation.type())
                .signatures()
                .names(
                        operation.inputCount(),
                        at -> model.operand(operation.input(at)).type());
        for (int position = 0; position < operation.inputCount(); position++) {
            int index = operation.input(position);
            Operand operand = model.operand(index);
            if (makers.containsKey(index)) {
                picture.link(makers.get(index), item);
            }
            ByteBuffer value = operand.value();
            String name = names.name(position, operation.inputCount());
            if (value == null || value.remaining() == 0) {
                item.fact("Takes", name + ": " + text(operand.descriptor()));
            } else if (operand.type().isTensor() && operand.descriptor().elementCount() > SHOWN_VALUES
                    || operand.lifetime() == Lifetime.CONSTANT_REFERENCE) {
                long count = value.remaining() / operand.type().elementBytes();
                item.weights.add(WeightFacts.of(name, text(operand.descriptor()), count, values(operand, value)));
            } else {
                item.fact(
                        "Constants",
                        name + (operand.type().isTensor() ? ": " + text(operand.descriptor()) : "") + " = "
                                + shown(operand, value));
            }
        }
        for (int output : operation.outputs()) {
            item.fact(
                    "Gives",
                    "operand " + output + ": " + text(model.operand(output).descriptor()));
        }
    }

    private static void place(Item item, Placement.OperationPlacement place, Placement placement, Operation operation) {
        item.device = place.device();
        item.fact("Runs on", place.device() + ", " + number(place.cost()) + " us estimated");
        item.millis = place.cost() / MICROS_OF_MILLI;
        for (Placement.Alternative other : place.others()) {
            item.fact(
                    "Why not elsewhere",
                    other.device() + ": " + other.reason()
                            + (Double.isNaN(other.cost()) ? "" : ", " + number(other.cost()) + " us estimated"));
        }
        for (int input : operation.inputs()) {
            boundary(item, placement, input);
        }
        for (int output : operation.outputs()) {
            boundary(item, placement, output);
        }
    }

    private static void boundary(Item item, Placement placement, int operand) {
        if (placement != null) {
            placement.boundaries().stream()
                    .filter(boundary -> boundary.operand() == operand)
                    .forEach(boundary -> item.fact(
                            "Boundary",
                            "operand " + operand + ": " + boundary.from() + " to " + boundary.to() + ", "
                                    + boundary.bytes() + " bytes, " + number(boundary.cost()) + " us estimated"));
        }
    }

    private static String text(OperandDescriptor descriptor) {
        return descriptor
                + (descriptor.channelQuantization() == null
                        ? ""
                        : " with " + descriptor.channelQuantization().channels() + " scales along dimension "
                                + descriptor.channelQuantization().channelDim());
    }

    private static LongToDoubleFunction values(Operand operand, ByteBuffer bytes) {
        int at = bytes.position();
        double scale =
                operand.descriptor().scale() == 0 ? 1 : operand.descriptor().scale();
        int zero = operand.descriptor().zeroPoint();
        LongToDoubleFunction stored = switch (operand.type().element()) {
            case FLOAT32 -> i -> bytes.getFloat(at + (int) i * 4);
            case INT32 -> i -> bytes.getInt(at + (int) i * 4);
            case FLOAT16 -> i -> Half.toFloat(bytes.getShort(at + (int) i * 2));
            case UINT16 -> i -> Short.toUnsignedInt(bytes.getShort(at + (int) i * 2));
            case INT16 -> i -> bytes.getShort(at + (int) i * 2);
            case UINT8 -> i -> Byte.toUnsignedInt(bytes.get(at + (int) i));
            default -> i -> bytes.get(at + (int) i);
        };
        return i -> (stored.applyAsDouble(i) - zero) * scale;
    }

    private static String shown(Operand operand, ByteBuffer bytes) {
        LongToDoubleFunction values = values(operand, bytes);
        long count = bytes.remaining() / operand.type().elementBytes();
        StringBuilder text = new StringBuilder();
        for (long i = 0; i < Math.min(count, SHOWN_VALUES); i++) {
            double value = values.applyAsDouble(i);
            text.append(i == 0 ? "" : " ")
                    .append(
                            value == Math.rint(value) && Math.abs(value) < 1e15
                                    ? String.valueOf((long) value)
                                    : String.valueOf((float) value));
        }
        return text + (count > SHOWN_VALUES ? " .." : "");
    }

    /** The item of an operation that was drawn, null of others. */
    Item item(Operation operation) {
        return operations.get(operation);
    }

    static String number(double value) {
        return String.format(Locale.ROOT, "%.4g", value);
    }

    /** Operations by device and kind, of all models drawn. */
    Map<String, Map<String, Integer>> counts() {
        Map<String, Map<String, Integer>> counts = new LinkedHashMap<>();
        picture.items.stream()
                .filter(item ->
                        item.kind == Item.Kind.OPERATION && item.isWithin(Item.Kind.NNAPI) && !item.device.isEmpty())
                .forEach(item -> counts.computeIfAbsent(item.device, d -> new LinkedHashMap<>())
                        .merge(item.label, 1, Integer::sum));
        return counts;
    }
}
