package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.FakeQuantize;
import org.torchnnapi.program.op.ReshapeOp;

/** A model on its way to a graph of kernel operations. */
final class Translation {
    private final Model model;
    private final GraphBuilder graph = new GraphBuilder();
    /** By operand its value in the graph, -1 before it has one. */
    private final int[] values;
    /** By node of the graph the operation that it is of, by its place in the model. */
    private final List<Integer> operations = new ArrayList<>();

    /** @param operations by node of the graph the place in the model of the operation that it is of */
    record Translated(OpGraph graph, List<Integer> operations) {}

    private Translation(Model model) {
        this.model = model;
        values = new int[model.operands().size()];
        Arrays.fill(values, -1);
    }

    /**
     * @param check called between operations; may throw to stop
     * @throws NnapiException BAD_DATA if an operation is refused
     */
    static Translated of(Model model, Runnable check) {
        Translation translation = new Translation(model);
        for (int input : model.inputs()) {
            Operand operand = model.operand(input);
            translation.values[input] = translation.graph.input(inputType(operand), ImageStorage.DECLARED);
        }
        for (int i = 0; i < model.operations().size(); i++) {
            check.run();
            Operation operation = model.operations().get(i);
            OperationView site = new OperationView(model, operation);
            Problem refusal =
                    site.isKnown() ? LoweringTable.refusal(site) : Problem.of("shapes and parameters", "open", "known");
            if (refusal != null) {
                throw new NnapiException(ResultCode.BAD_DATA, operation.type() + ": " + refusal);
            }
            try {
                LoweringTable.of(site).translate(site, translation);
            } catch (IllegalArgumentException e) {
                throw new NnapiException(ResultCode.OP_FAILED, operation.type() + ": " + e.getMessage(), e);
            }
            while (translation.operations.size() < translation.graph.nodes()) {
                translation.operations.add(i);
            }
        }
        for (int output : model.outputs()) {
            translation.graph.output(translation.value(output), ImageStorage.DECLARED);
        }
        return new Translated(translation.graph.build(), translation.operations);
    }

    private static ValueType inputType(Operand operand) {
        try {
            return OperationView.type(operand.descriptor());
        } catch (IllegalArgumentException e) {
            // What is no such tensor has no use, or the operation that reads it would have been refused.
            return ValueType.floats(1);
        }
    }

    /** An input of an operation. */
    int in(OperationView site, int input) {
        return value(site.operation().input(input));
    }

    private int value(int operand) {
        if (values[operand] < 0) {
            Operand constant = model.operand(operand);
            ValueType type = OperationView.type(constant.descriptor());
            values[operand] = switch (type.element().store()) {
                case FLOATS -> graph.constant(type, OperationView.floats(constant));
                case INTS -> graph.constant(type, OperationView.ints(constant));
                case BYTES -> graph.constant(type, OperationView.bytes(constant));
            };
        }
        return values[operand];
    }

    /** An operation in between. */
    int add(Op op, int... inputs) {
        return graph.add(op, inputs);
    }

    int constant(ValueType type, float[] data) {
        return graph.constant(type, data);
    }

    int constant(ValueType type, int[] data) {
        return graph.constant(type, data);
    }

    int constant(ValueType type, byte[] data) {
        return graph.constant(type, data);
    }

    /** A value in the shape of an operation's output. */
    int reshaped(OperationView site, int value) {
        return graph.add(new ReshapeOp(site.out().dimensions()), value);
    }

    ValueType type(int value) {
        return graph.type(value);
    }

    /** The only output of an operation. */
    void result(OperationView site, Op op, int... inputs) {
        result(site, 0, graph.add(op, inputs));
    }

    /**
     * One of the outputs of an operation; floats become what numbers of 16 bits can stand for where the output is of
     * such.
     */
    void result(OperationView site, int output, int value) {
        int operand = site.operation().output(output);
        OperandDescriptor descriptor = model.operand(operand).descriptor();
        ValueType declared = OperationView.type(descriptor);
        if (!graph.type(value).equals(declared)) {
            throw new IllegalArgumentException(
                    "output " + output + ": " + declared + " (expected: " + graph.type(value) + ")");
        }
        boolean stepped = descriptor.type() == OperandType.TENSOR_QUANT16_ASYMM
                || descriptor.type() == OperandType.TENSOR_QUANT16_SYMM;
        OperandType.Element element = descriptor.type().element();
        values[operand] = stepped
                ? add(new FakeQuantize(descriptor.scale(), descriptor.zeroPoint(), element.min(), element.max()), value)
                : value;
    }
}
