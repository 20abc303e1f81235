package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.testkit.nnapi.TestCase.TestModel;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperation;

/**
 * Builds the models of a test as an application would: constants by value or from one memory, referenced models first.
 */
final class TestModelBuilder {
    private final TestCase test;
    private final NnapiCaseSuite suite;
    private final Map<Integer, Model> referenced = new HashMap<>();

    private TestModelBuilder(TestCase test, NnapiCaseSuite suite) {
        this.test = test;
        this.suite = suite;
    }

    static Model build(TestCase test, NnapiCaseSuite suite) {
        return new TestModelBuilder(test, suite).build(test.main(), true);
    }

    private Model build(TestModel source, boolean main) {
        ModelBuilder builder = new ModelBuilder();
        ByteBuffer memory = memory(source);
        int offset = 0;
        for (TestOperand operand : source.operands()) {
            int index = builder.addOperand(suite.declared(operand));
            switch (operand.lifetime()) {
                case CONSTANT_COPY ->
                    builder.setOperandValue(index, operand.data().duplicate().clear());
                case CONSTANT_REFERENCE -> {
                    builder.setOperandValueFromMemory(
                            index, memory, offset, operand.data().capacity());
                    offset = align(offset + operand.data().capacity());
                }
                case NO_VALUE -> builder.setOperandValue(index, (ByteBuffer) null);
                case SUBGRAPH ->
                    builder.setOperandValueFromModel(
                            index,
                            referenced(
                                    operand.data().capacity() < 4
                                            ? -1
                                            : operand.data().getInt(0)));
                default -> {}
            }
        }
        for (TestOperation operation : source.operations()) {
            builder.addOperation(operation.type(), operation.inputs(), operation.outputs());
        }
        builder.identifyInputsAndOutputs(source.inputs(), source.outputs());
        if (main) {
            builder.relaxComputationFloat32toFloat16(test.relaxed());
        }
        return builder.finish();
    }

    /** The referenced model, null if there is none of this number. */
    private Model referenced(int index) {
        if (index < 0 || index >= test.referenced().size()) {
            return null;
        }
        Model model = referenced.get(index);
        if (model == null) {
            model = build(test.referenced().get(index), false);
            referenced.put(index, model);
        }
        return model;
    }

    private static ByteBuffer memory(TestModel source) {
        int size = 0;
        for (TestOperand operand : source.operands()) {
            if (operand.lifetime() == Lifetime.CONSTANT_REFERENCE) {
                size = align(size + operand.data().capacity());
            }
        }
        ByteBuffer memory = ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN);
        int offset = 0;
        for (TestOperand operand : source.operands()) {
            if (operand.lifetime() == Lifetime.CONSTANT_REFERENCE) {
                memory.put(offset, operand.data(), 0, operand.data().capacity());
                offset = align(offset + operand.data().capacity());
            }
        }
        return memory;
    }

    private static int align(int offset) {
        return (offset + 3) & ~3;
    }
}
