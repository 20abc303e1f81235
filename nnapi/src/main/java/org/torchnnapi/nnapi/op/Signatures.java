package org.torchnnapi.nnapi.op;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * The operand types an operation accepts, each with the feature level that introduced it. Built from groups; a group is
 * every <em>row</em> (leading inputs and outputs) combined with every <em>tail</em> (trailing inputs) of that group:
 *
 * <pre>{@code
 * Signatures.builder()
 *     .row(V1_0, in(TENSOR_FLOAT32, TENSOR_FLOAT32), out(TENSOR_FLOAT32))
 *     .row(V1_2, in(TENSOR_FLOAT16, TENSOR_FLOAT16), out(TENSOR_FLOAT16))
 *     .tail(V1_0, INT32)
 *     .build();
 * }</pre>
 */
public final class Signatures {
    /**
     * One accepted list of types.
     *
     * @param since the release that introduced it
     */
    public record Signature(FeatureLevel since, List<OperandType> inputs, List<OperandType> outputs) {
        public Signature {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }
    }

    private final List<Signature> signatures;
    private final BitSet optionalInputs;
    private final boolean zeroSizedInputs;
    private final boolean variadic;

    private Signatures(Builder builder) {
        signatures = List.copyOf(builder.signatures);
        optionalInputs = builder.optionalInputs;
        zeroSizedInputs = builder.zeroSizedInputs;
        variadic = builder.variadic;
    }

    public static Builder builder() {
        return new Builder();
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

    /** Whether input {@code position} may be left out (NO_VALUE). */
    public boolean isOptional(int position) {
        return optionalInputs.get(position);
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
        return found.append(") (expected: one of ").append(signatures.size()).append(" signatures, nearest ")
                .append(near.inputs).append(" -> ").append(near.outputs).append(')').toString();
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
        private final BitSet optionalInputs = new BitSet();
        private boolean zeroSizedInputs;
        private boolean variadic;

        private Builder() {
        }

        /** Leading inputs and all outputs. */
        public Builder row(FeatureLevel since, OperandType[] inputs, OperandType[] outputs) {
            rows.add(new Signature(since, List.of(inputs), List.of(outputs)));
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
            tails.add(new Signature(since, List.of(inputs), List.of()));
            return this;
        }

        /** Ends a group: what follows is combined anew. */
        public Builder and() {
            for (Signature row : rows) {
                if (tails.isEmpty()) {
                    signatures.add(row);
                }
                for (Signature tail : tails) {
                    List<OperandType> inputs = new ArrayList<>(row.inputs);
                    inputs.addAll(tail.inputs);
                    signatures.add(new Signature(FeatureLevel.max(row.since, tail.since), inputs, row.outputs));
                }
            }
            rows.clear();
            tails.clear();
            return this;
        }

        /** Inputs that may be left out (NO_VALUE); their types are still declared. */
        public Builder optional(int... positions) {
            for (int position : positions) {
                optionalInputs.set(position);
            }
            return this;
        }

        /** Lets inputs be empty tensors at execution. */
        public Builder zeroSizedInputs() {
            zeroSizedInputs = true;
            return this;
        }

        /** Signatures name only the first operands; the definition checks the further ones itself. */
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
