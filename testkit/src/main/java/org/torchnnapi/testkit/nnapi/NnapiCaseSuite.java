package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.testkit.nnapi.TestCase.TestModel;
import org.torchnnapi.testkit.nnapi.TestCase.TestOperand;

/** The ways the same tests are run: which tests belong, and what is changed in them. */
public enum NnapiCaseSuite {
    GENERATED {
        @Override
        boolean includes(TestCase test) {
            return !test.expectFailure() || test.isInfiniteLoop();
        }
    },
    DYNAMIC_OUTPUT_SHAPE {
        @Override
        boolean includes(TestCase test) {
            return !test.expectFailure()
                    && !test.uses(EnumSet.of(OperationType.RANK, OperationType.IF, OperationType.WHILE));
        }

        @Override
        OperandDescriptor declared(TestOperand operand) {
            OperandDescriptor descriptor = operand.descriptor();
            return operand.lifetime() == Lifetime.SUBGRAPH_OUTPUT
                    ? descriptor.withDimensions(new int[descriptor.rank()])
                    : descriptor;
        }
    },
    VALIDATION {
        @Override
        boolean includes(TestCase test) {
            return test.expectFailure() && !test.isInfiniteLoop();
        }
    },
    QUANTIZATION_COUPLING {
        private static final Set<OperationType> UNCOUPLED = EnumSet.of(
                OperationType.HASHTABLE_LOOKUP,
                OperationType.LSH_PROJECTION,
                OperationType.PAD_V2,
                OperationType.CAST,
                OperationType.QUANTIZED_16BIT_LSTM);

        @Override
        boolean includes(TestCase test) {
            return !test.expectFailure()
                    && test.main().operations().size() == 1
                    && test.referenced().isEmpty()
                    && !test.uses(UNCOUPLED)
                    && test.main().operands().stream().anyMatch(o -> o.type() == OperandType.TENSOR_QUANT8_ASYMM);
        }

        @Override
        TestCase change(TestCase test) {
            TestModel signed = test.main().mapOperands(NnapiCaseSuite::signed);
            return new TestCase(
                    test.name(),
                    test.minSupportedVersion(),
                    test.relaxed(),
                    test.expectFailure(),
                    test.multinomialTolerance(),
                    signed,
                    test.referenced());
        }
    },
    DEVICE_MEMORY {
        @Override
        boolean includes(TestCase test) {
            return hasOutputs(test);
        }
    },
    FENCED {
        @Override
        boolean includes(TestCase test) {
            return hasOutputs(test);
        }
    },
    BURST {
        @Override
        boolean includes(TestCase test) {
            return !test.expectFailure();
        }
    },
    /** Runs nothing: the release that a model needs is compared with the one that its test states. */
    FEATURE_LEVEL {
        @Override
        boolean includes(TestCase test) {
            return !test.expectFailure() && test.statedLevel() != null;
        }
    };

    abstract boolean includes(TestCase test);

    /** The test as this suite runs it. */
    TestCase change(TestCase test) {
        return test;
    }

    /** An operand as the model of this suite declares it. */
    OperandDescriptor declared(TestOperand operand) {
        return operand.descriptor();
    }

    /** The name on the command line, such as {@code dynamic-output-shape}. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @throws IllegalArgumentException if no suite has this label */
    public static NnapiCaseSuite of(String label) {
        for (NnapiCaseSuite suite : values()) {
            if (suite.label().equals(label)) {
                return suite;
            }
        }
        StringBuilder labels = new StringBuilder();
        for (NnapiCaseSuite suite : values()) {
            labels.append(labels.isEmpty() ? "" : ", ").append(suite.label());
        }
        throw new IllegalArgumentException("suite: " + label + " (expected: one of " + labels + ")");
    }

    private static boolean hasOutputs(TestCase test) {
        if (test.expectFailure()) {
            return false;
        }
        for (int output : test.main().outputs()) {
            if (test.main().operands().get(output).expectedBytes() == 0) {
                return false;
            }
        }
        return true;
    }

    private static TestOperand signed(TestOperand operand) {
        if (operand.type() != OperandType.TENSOR_QUANT8_ASYMM) {
            return operand;
        }
        OperandDescriptor d = operand.descriptor();
        OperandDescriptor shifted = OperandDescriptor.quantized(
                OperandType.TENSOR_QUANT8_ASYMM_SIGNED, d.scale(), d.zeroPoint() - 128, d.dimensions());
        ByteBuffer data = operand.data();
        if (data != null) {
            ByteBuffer copy = ByteBuffer.allocate(data.capacity()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < data.capacity(); i++) {
                copy.put(i, (byte) (data.get(i) - 128));
            }
            data = copy;
        }
        return operand.with(shifted, data);
    }
}
