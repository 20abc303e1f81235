package org.torchnnapi.nnapi.driver;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.Problem;

/** What a {@link DeviceProfile} demands of an operation. */
@FunctionalInterface
interface DeviceConstraint {
    /** What is found and demanded, or null if the demand is met. */
    Problem problem(Model model, Operation operation);

    /**
     * Reads a demand, such as {@code max-rank 4}.
     *
     * @throws IllegalArgumentException if it is none: the value, then the rule
     */
    static DeviceConstraint parse(String... words) {
        String form = switch (words[0]) {
            case "fixed-shapes" -> "fixed-shapes";
            case "max-rank" -> "max-rank N";
            case "constant" -> "constant INPUT...";
            case "input" -> "input I of N is VALUE...";
            default ->
                throw new IllegalArgumentException(words[0] + " (expected: fixed-shapes, max-rank, constant or input)");
        };
        int least = form.split(" ").length;
        if (words.length < least || !form.endsWith("...") && words.length > least) {
            throw new IllegalArgumentException(String.join(" ", words) + " (expected: " + form + ")");
        }
        return switch (words[0]) {
            case "fixed-shapes" -> DeviceConstraint::unknownShape;
            case "max-rank" -> maxRank(Integer.parseInt(words[1]));
            case "constant" -> constant(numbers(words, 1));
            default -> value(Integer.parseInt(words[1]), Integer.parseInt(words[3]), numbers(words, 5));
        };
    }

    private static int[] numbers(String[] words, int from) {
        return Arrays.stream(words, from, words.length)
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    private static Problem unknownShape(Model model, Operation operation) {
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            Operand operand = operand(model, operation, i);
            if (operand.type().isTensor()
                    && operand.lifetime() != Lifetime.NO_VALUE
                    && !operand.descriptor().isFullySpecified()) {
                return Problem.of("shape", operand.descriptor(), "all dimensions known");
            }
        }
        return null;
    }

    private static DeviceConstraint maxRank(int limit) {
        return (model, operation) -> {
            for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
                int rank = operand(model, operation, i).descriptor().rank();
                if (rank > limit) {
                    return Problem.of("rank", rank, "<= " + limit);
                }
            }
            return null;
        };
    }

    private static DeviceConstraint constant(int[] positions) {
        return (model, operation) -> {
            for (int position : positions) {
                if (position < operation.inputCount()) {
                    Lifetime lifetime = model.operand(operation.input(position)).lifetime();
                    if (!lifetime.isConstant() && lifetime != Lifetime.NO_VALUE) {
                        return Problem.of("input " + position, lifetime, "constant");
                    }
                }
            }
            return null;
        };
    }

    /** @param count inputs of the signature that this is about */
    private static DeviceConstraint value(int position, int count, int[] values) {
        if (position < 0 || position >= count) {
            throw new IllegalArgumentException("input: " + position + " (expected: 0 to " + (count - 1) + ")");
        }
        return (model, operation) -> {
            if (operation.inputCount() != count) {
                return null;
            }
            Operand operand = model.operand(operation.input(position));
            if (!operand.lifetime().isConstant() || operand.value().remaining() != Integer.BYTES) {
                return Problem.of("input " + position, operand.lifetime(), "a constant");
            }
            int found = operand.value().getInt(0);
            return Arrays.stream(values).anyMatch(value -> value == found)
                    ? null
                    : Problem.of("input " + position, found, "one of " + Arrays.toString(values));
        };
    }

    /** The operand of an input or, behind the inputs, of an output. */
    static Operand operand(Model model, Operation operation, int position) {
        int inputs = operation.inputCount();
        return model.operand(position < inputs ? operation.input(position) : operation.output(position - inputs));
    }
}
