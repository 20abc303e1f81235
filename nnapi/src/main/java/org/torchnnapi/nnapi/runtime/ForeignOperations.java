package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;

/** Keeps operations and types of extensions from drivers that do not announce them. */
final class ForeignOperations {
    private ForeignOperations() {}

    /**
     * What a driver refuses of a model, of which it is shown only what is the specification's or its own extensions'.
     */
    static List<DeviceRefusal> refusals(Model model, Driver driver) {
        if (model.operations().stream().noneMatch(operation -> foreign(model, operation, name -> false) != null)) {
            return driver.refusals(model);
        }
        List<Extension> extensions = driver.extensions();
        List<DeviceRefusal> refusals = new ArrayList<>();
        int[] part = new int[model.operations().size()];
        for (int i = 0; i < part.length; i++) {
            String foreign = foreign(model, model.operations().get(i), driver::hasExtension);
            if (foreign != null) {
                refusals.add(DeviceRefusal.of(
                        i,
                        "extension",
                        foreign,
                        extensions.isEmpty() ? "none, the device has no extensions" : "one that the device announces"));
                part[i] = 1;
            }
        }
        if (refusals.isEmpty()) {
            return driver.refusals(model);
        }
        int[] members =
                IntStream.range(0, part.length).filter(i -> part[i] == 0).toArray();
        if (members.length > 0) {
            ModelSlice known = ModelSlice.of(
                    new ModelSlice.Source(model, new int[model.operands().size()][]), part, 0, members);
            List<DeviceRefusal> answer = driver.refusals(known.model());
            for (DeviceRefusal refusal : answer) {
                boolean isThere = refusal.operation() >= 0 && refusal.operation() < members.length;
                // A number that no operation has is told as one that the whole has not either.
                refusals.add(
                        new DeviceRefusal(isThere ? members[refusal.operation()] : part.length, refusal.problem()));
            }
        }
        return refusals;
    }

    /** The first extension that an operation needs and that is not known; null where it needs no other. */
    private static String foreign(Model model, Operation operation, Predicate<String> known) {
        if (operation.type().isVendors()) {
            String name = operation.type() == OperationType.OEM_OPERATION
                    ? Extension.OEM.name()
                    : operation.extension().extension();
            if (!known.test(name)) {
                return name;
            }
        }
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            int index = i < operation.inputCount() ? operation.input(i) : operation.output(i - operation.inputCount());
            String name = extension(model.operand(index).descriptor());
            if (name != null && !known.test(name)) {
                return name;
            }
        }
        return null;
    }

    private static String extension(OperandDescriptor operand) {
        if (operand.extension() != null) {
            return operand.extension().type().extension();
        }
        return operand.type() == OperandType.OEM_SCALAR || operand.type() == OperandType.TENSOR_OEM_BYTE
                ? Extension.OEM.name()
                : null;
    }
}
