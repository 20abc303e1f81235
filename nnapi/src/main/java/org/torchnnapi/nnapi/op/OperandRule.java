package org.torchnnapi.nnapi.op;

import java.util.Arrays;
import java.util.function.Predicate;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * A demand on operands that {@link Signatures} declares by name: of a model before it runs, and again of what an
 * execution brings.
 */
abstract class OperandRule {
    /** States the demand on an operation of a model, as far as it is known. */
    abstract void check(ValidationContext operation);

    /** The same of shapes and values that are known now. */
    void check(OperationContext operation) {}

    /** The rank of each operand of a name. */
    static final class Rank extends OperandRule {
        private final String name;
        private final int low;
        private final int high;
        private final boolean inTheEnd;

        /**
         * @param inTheEnd whether adding the operation to a model does not ask it; see
         *     {@link ValidationContext#requireInTheEnd}
         */
        Rank(String name, int low, int high, boolean inTheEnd) {
            this.name = name;
            this.low = low;
            this.high = high;
            this.inTheEnd = inTheEnd;
        }

        private String expected() {
            return low == high ? String.valueOf(low) : high == Integer.MAX_VALUE ? ">= " + low : low + " to " + high;
        }

        private boolean holds(int rank) {
            return rank >= low && rank <= high;
        }

        @Override
        void check(ValidationContext operation) {
            int first = operation.at(name);
            for (int i = 0; i < operation.count(name); i++) {
                int rank = operation.has(first + i) ? operation.rank(first + i) : -1;
                if (rank >= 0 && !holds(rank)) {
                    operation.require(inTheEnd, "rank of " + operation.told(first + i), rank, expected());
                    operation.requireInTheEnd(false, "rank of " + operation.told(first + i), rank, expected());
                }
            }
        }

        @Override
        void check(OperationContext operation) {
            int first = operation.at(name);
            for (int i = 0; i < operation.count(name); i++) {
                if (operation.has(first + i) && !holds(operation.rank(first + i))) {
                    throw operation.illegal(
                            "rank of " + operation.told(first + i), operation.rank(first + i), expected());
                }
            }
        }
    }

    /** The values that an INT32 scalar may have. */
    static final class Range extends OperandRule {
        private final String name;
        private final int low;
        private final int high;

        Range(String name, int low, int high) {
            this.name = name;
            this.low = low;
            this.high = high;
        }

        private String expected() {
            return high == Integer.MAX_VALUE ? ">= " + low : low + " to " + high;
        }

        @Override
        void check(ValidationContext operation) {
            int at = operation.at(name);
            if (at >= 0 && operation.type(at) == OperandType.INT32) {
                operation
                        .constantInt(at)
                        .ifPresent(value ->
                                operation.requireValue(value >= low && value <= high, name, value, expected()));
            }
        }

        @Override
        void check(OperationContext operation) {
            int at = operation.at(name);
            if (operation.has(at) && operation.type(at) == OperandType.INT32) {
                int value = operation.intValue(at);
                operation.require(value >= low && value <= high, name, value, expected());
            }
        }
    }

    /** An INT32 scalar that counts axes of a tensor, from the end where it is negative. */
    static final class Axis extends OperandRule {
        private final String name;
        private final String tensor;
        private final int more;

        /** @param more axes that the result has more than the tensor */
        Axis(String name, String tensor, int more) {
            this.name = name;
            this.tensor = tensor;
            this.more = more;
        }

        @Override
        void check(ValidationContext operation) {
            int at = operation.at(name);
            int rank = operation.rank(operation.at(tensor));
            if (at >= 0 && rank > 0) {
                int axes = rank + more;
                operation
                        .constantInt(at)
                        .ifPresent(axis -> operation.requireValue(
                                axis >= -axes && axis < axes, name, axis, -axes + " to " + (axes - 1)));
            }
        }

        @Override
        void check(OperationContext operation) {
            int at = operation.at(name);
            if (operation.has(at)) {
                operation.axis(operation.intValue(at), operation.rank(operation.at(tensor)) + more);
            }
        }
    }

    /** A use of the operation that a release takes later than its signature. */
    static final class Later extends OperandRule {
        private final String use;
        private final FeatureLevel since;
        private final String reason;
        private final Predicate<ValidationContext> isUsed;

        Later(String use, FeatureLevel since, String reason, Predicate<ValidationContext> isUsed) {
            this.use = use;
            this.since = since;
            this.reason = reason;
            this.isUsed = isUsed;
        }

        String use() {
            return use;
        }

        FeatureLevel since() {
            return since;
        }

        @Override
        void check(ValidationContext operation) {
            if (isUsed.test(operation)) {
                operation.needs(since, reason);
            }
        }
    }

    /** An output with the scale and zero point of an input. */
    static final class SameQuantization extends OperandRule {
        private final String input;
        private final String output;

        SameQuantization(String input, String output) {
            this.input = input;
            this.output = output;
        }

        @Override
        void check(ValidationContext operation) {
            int first = operation.outputAt(output);
            for (int i = 0; i < operation.outputCount(output); i++) {
                OperandDescriptor in = operation.input(operation.at(input));
                OperandDescriptor out = operation.output(first + i);
                if (in.type().isQuantized() && (in.scale() != out.scale() || in.zeroPoint() != out.zeroPoint())) {
                    operation.requireInTheEnd(
                            false,
                            "quantization of output " + (first + i),
                            out.scale() + "/" + out.zeroPoint(),
                            "that of " + operation.told(operation.at(input)) + ", " + in.scale() + "/"
                                    + in.zeroPoint());
                }
            }
        }
    }

    /** The scale and zero point that operands of some quantized types have to have. */
    static final class Quantization extends OperandRule {
        private final String name;
        private final boolean input;
        private final OperandType[] types;
        private final float scale;
        private final int zeroPoint;

        Quantization(String name, boolean input, float scale, int zeroPoint, OperandType... types) {
            this.name = name;
            this.input = input;
            this.types = types;
            this.scale = scale;
            this.zeroPoint = zeroPoint;
        }

        @Override
        void check(ValidationContext operation) {
            int at = input ? operation.at(name) : operation.outputAt(name);
            if (at < 0) {
                return;
            }
            OperandDescriptor operand = input ? operation.input(at) : operation.output(at);
            if (Arrays.asList(types).contains(operand.type())
                    && (operand.scale() != scale || operand.zeroPoint() != zeroPoint)) {
                operation.requireInTheEnd(
                        false,
                        "quantization of " + (input ? operation.told(at) : "output " + at + " (" + name + ")"),
                        operand.scale() + "/" + operand.zeroPoint(),
                        scale + "/" + zeroPoint);
            }
        }
    }
}
