package org.torchnnapi.nnapi.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * The operands an operation accepts: what they are called, their types with the feature level that introduced them, and
 * what can be said of them by rule - ranks, ranges of scalars, scales and zero points. The validator, the reference,
 * devices and converters read operands from here. Built from groups; a group is every <em>row</em> (leading inputs and
 * outputs) combined with every <em>tail</em> (trailing inputs) of that group, and has names of its own:
 *
 * <pre>{@code
 * Signatures.builder(OperandNames.of("a", "b", "activation"))
 *     .row(V1_0, in(TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
 *     .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
 *     .tail(V1_0, INT32)
 *     .rank("a", 1, 4)
 *     .range("activation", 0, 3)
 *     .build();
 * }</pre>
 */
public final class Signatures {
    /**
     * One accepted list of types.
     *
     * @param since the release that introduced it
     * @param names what its inputs are called
     */
    public record Signature(
            FeatureLevel since, List<OperandType> inputs, List<OperandType> outputs, OperandNames names) {
        public Signature {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }
    }

    private static final OperandNames OUTPUT = OperandNames.of("output");

    private final List<Signature> signatures;
    /** The names of the only group; null where there are several. */
    private final OperandNames onlyNames;

    private final OperandNames outputs;
    private final List<OperandRule> rules;
    private final BitSet optionalInputs;
    private final boolean zeroSizedInputs;
    private final boolean variadic;
    private final boolean unknown;

    private Signatures(Builder builder) {
        signatures = List.copyOf(builder.signatures);
        OperandNames first = signatures.isEmpty() ? builder.names : signatures.get(0).names;
        onlyNames = signatures.stream().allMatch(signature -> signature.names == first) ? first : null;
        outputs = builder.outputs;
        rules = List.copyOf(builder.rules);
        optionalInputs = builder.optionalInputs;
        zeroSizedInputs = builder.zeroSizedInputs;
        variadic = builder.variadic;
        unknown = signatures.isEmpty();
    }

    /** @param names what the inputs of the first group are called */
    public static Builder builder(OperandNames names) {
        return new Builder(names);
    }

    /**
     * Of operations that take what only a vendor's device knows: any operands, each of which may be left out or empty.
     */
    static Signatures unknown() {
        return builder(OperandNames.of("operands[]"))
                .outputs(OperandNames.of("results[]"))
                .zeroSizedInputs()
                .build();
    }

    /** Whether any operands will do here. */
    boolean isUnknown() {
        return unknown;
    }

    /** The input types of a row. */
    public static OperandType[] in(OperandType... types) {
        return types;
    }

    /** The output types of a row. */
    public static OperandType[] out(OperandType... types) {
        return types;
    }

    /** {@code count} times the same type. */
    public static OperandType[] times(int count, OperandType type) {
        OperandType[] types = new OperandType[count];
        Arrays.fill(types, type);
        return types;
    }

    /** One list after the other. */
    public static OperandType[] join(OperandType[] head, OperandType... tail) {
        OperandType[] types = Arrays.copyOf(head, head.length + tail.length);
        System.arraycopy(tail, 0, types, head.length, tail.length);
        return types;
    }

    public List<Signature> all() {
        return signatures;
    }

    /**
     * What the inputs of an operation are called, which may depend on their number and types.
     *
     * @param types of its inputs by position
     */
    public OperandNames names(int inputCount, IntFunction<OperandType> types) {
        if (onlyNames != null) {
            return onlyNames;
        }
        for (Signature signature : signatures) {
            if (signature.inputs.size() == inputCount && matches(signature.inputs, types)) {
                return signature.names;
            }
        }
        return signatures.get(0).names;
    }

    private static boolean matches(List<OperandType> expected, IntFunction<OperandType> types) {
        for (int i = 0; i < expected.size(); i++) {
            if (expected.get(i) != types.apply(i)) {
                return false;
            }
        }
        return true;
    }

    /** What the outputs are called. */
    public OperandNames outputs() {
        return outputs;
    }

    /**
     * The position of an input that has the same in every operation with it.
     *
     * @throws IllegalArgumentException if there is no such input
     */
    public int input(String name) {
        int position = -1;
        for (Signature signature : signatures) {
            if (signature.names.has(name)) {
                int at = signature.names.at(name);
                if (position >= 0 && at != position) {
                    throw new IllegalArgumentException(
                            "operand: " + name + " at " + position + " or " + at + " (expected: one position)");
                }
                position = at;
            }
        }
        return position >= 0 ? position : signatures.get(0).names.at(name);
    }

    /**
     * The first release in which an operation may have an input of this name, or be used in a way of this name.
     *
     * @throws IllegalArgumentException if there is no such input or use
     */
    public FeatureLevel since(String name) {
        for (OperandRule rule : rules) {
            if (rule instanceof OperandRule.Later later && later.use().equals(name)) {
                return later.since();
            }
        }
        FeatureLevel first = null;
        for (Signature signature : signatures) {
            if (signature.names.at(name, signature.inputs.size()) >= 0) {
                first = first == null ? signature.since : FeatureLevel.min(first, signature.since);
            }
        }
        if (first == null) {
            throw new IllegalArgumentException(
                    "operand: " + name + " (expected: one of " + signatures.get(0).names + ")");
        }
        return first;
    }

    /** The demands declared by name. */
    List<OperandRule> rules() {
        return rules;
    }

    /** Whether input {@code position} may be left out (NO_VALUE). */
    public boolean isOptional(int position) {
        return unknown || optionalInputs.get(position);
    }

    /** Whether inputs may be empty tensors when executed. */
    public boolean acceptsZeroSizedInputs() {
        return zeroSizedInputs;
    }

    /** The signature with exactly these types and the lowest feature level, or null. */
    Signature match(ValidationContext operation) {
        Signature best = null;
        for (Signature signature : signatures) {
            if ((best == null || signature.since.compareTo(best.since) < 0) && matches(signature, operation)) {
                best = signature;
            }
        }
        return best;
    }

    private boolean matches(Signature signature, ValidationContext operation) {
        int inputs = operation.inputCount();
        int outputs = operation.outputCount();
        if (!variadic) {
            if (signature.inputs.size() != inputs || signature.outputs.size() != outputs) {
                return false;
            }
        }
        for (int i = 0; i < signature.inputs.size(); i++) {
            if (i >= inputs || signature.inputs.get(i) != operation.input(i).type()) {
                return false;
            }
        }
        for (int i = 0; i < signature.outputs.size(); i++) {
            if (i >= outputs || signature.outputs.get(i) != operation.output(i).type()) {
                return false;
            }
        }
        return true;
    }

    /** Says what was found beside what is accepted, for a message. */
    String mismatch(ValidationContext operation) {
        StringBuilder found = new StringBuilder("operand types (");
        for (int i = 0; i < operation.inputCount(); i++) {
            found.append(i == 0 ? "" : ", ").append(operation.input(i).type());
        }
        found.append(") -> (");
        for (int i = 0; i < operation.outputCount(); i++) {
            found.append(i == 0 ? "" : ", ").append(operation.output(i).type());
        }
        Signature near = nearest(operation);
        return found.append(") (expected: one of ")
                .append(signatures.size())
                .append(" signatures, nearest ")
                .append(near.inputs)
                .append(" -> ")
                .append(near.outputs)
                .append(')')
                .toString();
    }

    private Signature nearest(ValidationContext operation) {
        Signature best = signatures.get(0);
        int bestScore = Integer.MIN_VALUE;
        for (Signature signature : signatures) {
            int score = -Math.abs(signature.inputs.size() - operation.inputCount())
                    - Math.abs(signature.outputs.size() - operation.outputCount());
            for (int i = 0; i < Math.min(signature.inputs.size(), operation.inputCount()); i++) {
                OperandDescriptor input = operation.input(i);
                score += signature.inputs.get(i) == input.type() ? 1 : 0;
            }
            if (score > bestScore) {
                best = signature;
                bestScore = score;
            }
        }
        return best;
    }

    /** Collects rows and tails. */
    public static final class Builder {
        private final List<Signature> signatures = new ArrayList<>();
        private final List<Signature> rows = new ArrayList<>();
        private final List<Signature> tails = new ArrayList<>();
        private final List<OperandRule> rules = new ArrayList<>();
        private final BitSet optionalInputs = new BitSet();
        private OperandNames names;
        private OperandNames outputs = OUTPUT;
        private boolean zeroSizedInputs;
        private boolean variadic;

        private Builder(OperandNames names) {
            this.names = names;
        }

        /** Ends a group and names the inputs of the next. */
        public Builder names(OperandNames inputs) {
            and();
            names = inputs;
            return this;
        }

        /** Names the outputs of all groups; one alone is called "output". */
        public Builder outputs(OperandNames outputNames) {
            outputs = outputNames;
            return this;
        }

        /** Demands a rank of an input. */
        public Builder rank(String input, int rank) {
            return rank(input, rank, rank);
        }

        /** Demands a rank from {@code low} to {@code high} of an input. */
        public Builder rank(String input, int low, int high) {
            return rule(new OperandRule.Rank(input, low, high, false));
        }

        /** The same of the finished model only; see {@link ValidationContext#requireInTheEnd}. */
        public Builder rankInTheEnd(String input, int rank) {
            return rule(new OperandRule.Rank(input, rank, rank, true));
        }

        /** Demands a value from {@code low} to {@code high} of an input where it is an INT32 scalar. */
        public Builder range(String input, int low, int high) {
            return rule(new OperandRule.Range(input, low, high));
        }

        /** Demands that an INT32 scalar counts an axis of another input, from the end where it is negative. */
        public Builder axis(String input, String tensor) {
            return rule(new OperandRule.Axis(input, tensor, 0));
        }

        /** The same of a result with one axis more than the input. */
        public Builder newAxis(String input, String tensor) {
            return rule(new OperandRule.Axis(input, tensor, 1));
        }

        /** Demands the scale and zero point of an input of an output. */
        public Builder sameQuantization(String input, String output) {
            return rule(new OperandRule.SameQuantization(input, output));
        }

        /** Demands a scale and zero point of an input of one of these types. */
        public Builder inputQuantization(String input, float scale, int zeroPoint, OperandType... types) {
            return rule(new OperandRule.Quantization(input, true, scale, zeroPoint, types));
        }

        /** Demands a scale and zero point of an output of one of these types. */
        public Builder outputQuantization(String output, float scale, int zeroPoint, OperandType... types) {
            return rule(new OperandRule.Quantization(output, false, scale, zeroPoint, types));
        }

        /**
         * Says that a use of the operation came later than its signature.
         *
         * @param use what {@link Signatures#since} tells the release by
         * @param reason the same for a reader
         */
        public Builder later(String use, FeatureLevel since, String reason, Predicate<ValidationContext> isUsed) {
            return rule(new OperandRule.Later(use, since, reason, isUsed));
        }

        private Builder rule(OperandRule rule) {
            rules.add(rule);
            return this;
        }

        /** Leading inputs and all outputs. */
        public Builder row(FeatureLevel since, OperandType[] inputs, OperandType[] outputs) {
            rows.add(new Signature(since, List.of(inputs), List.of(outputs), names));
            return this;
        }

        /** One row a type: {@code inputs} leading inputs of it and one output of it. */
        public Builder rows(FeatureLevel since, int inputs, OperandType... types) {
            for (OperandType type : types) {
                row(since, times(inputs, type), out(type));
            }
            return this;
        }

        /** Trailing inputs that go with every row of the group; a group without a tail takes its rows alone. */
        public Builder tail(FeatureLevel since, OperandType... inputs) {
            tails.add(new Signature(since, List.of(inputs), List.of(), names));
            return this;
        }

        /** Ends a group: what follows is combined anew. */
        public Builder and() {
            for (Signature row : rows) {
                if (tails.isEmpty()) {
                    add(row);
                }
                for (Signature tail : tails) {
                    List<OperandType> inputs = new ArrayList<>(row.inputs);
                    inputs.addAll(tail.inputs);
                    add(new Signature(FeatureLevel.max(row.since, tail.since), inputs, row.outputs, names));
                }
            }
            rows.clear();
            tails.clear();
            return this;
        }

        private void add(Signature signature) {
            if (!names.covers(signature.inputs.size()) || !outputs.covers(signature.outputs.size())) {
                throw new IllegalArgumentException(
                        "signature: " + signature + " (expected: names for all, not " + names + " -> " + outputs + ")");
            }
            signatures.add(signature);
        }

        /** Inputs that may be left out (NO_VALUE); their types are still declared. */
        public Builder optional(String... inputs) {
            for (String input : inputs) {
                int first = names.at(input);
                optionalInputs.set(first, first + Math.max(1, names.count(input, Integer.MAX_VALUE)));
            }
            return this;
        }

        /** Lets inputs be empty tensors at execution. */
        public Builder zeroSizedInputs() {
            zeroSizedInputs = true;
            return this;
        }

        /** Signatures have the types of the first operands only; the definition checks the further ones itself. */
        public Builder variadic() {
            variadic = true;
            return this;
        }

        public Signatures build() {
            and();
            return new Signatures(this);
        }
    }
}
