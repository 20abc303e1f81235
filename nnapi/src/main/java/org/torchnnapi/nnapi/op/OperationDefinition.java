package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.Signatures.Signature;

/**
 * Everything known about one operation: what is legal, which shape comes out, and the plain reference kernel. A
 * subclass names its operand positions, holds no state, and is listed in {@link OperationTable}.
 */
public abstract class OperationDefinition {
    /** The position of the only output. */
    static final int OUT = 0;

    private final OperationType type;
    private final Signatures signatures;

    protected OperationDefinition(OperationType type, Signatures signatures) {
        this.type = type;
        this.signatures = signatures;
    }

    public final OperationType type() {
        return type;
    }

    public final Signatures signatures() {
        return signatures;
    }

    /** Checks everything that can be known before an execution. */
    public final Verdict validate(ValidationContext operation) {
        return validate(operation, true);
    }

    /**
     * Checks what is asked of an operation when it is added to a model: types and ranks, and whatever values are given
     * by then.
     */
    public final Verdict validateAdded(ValidationContext operation) {
        return validate(operation, false);
    }

    private Verdict validate(ValidationContext operation, boolean inTheEnd) {
        operation.describe(signatures);
        if (matchTypes(operation)) {
            for (OperandRule rule : signatures.rules()) {
                rule.check(operation);
            }
            check(operation);
        }
        return operation.verdict(inTheEnd);
    }

    private boolean matchTypes(ValidationContext operation) {
        if (type.since() != FeatureLevel.V1_0) {
            operation.needs(type.since(), type + " came with " + type.since());
        }
        if (signatures.isUnknown()) {
            return true;
        }
        Signature match = signatures.match(operation);
        if (match == null) {
            operation.require(false, type.name(), signatures.mismatch(operation), "an accepted signature");
            return false;
        }
        if (match.since().compareTo(type.since()) > 0) {
            operation.needs(
                    match.since(),
                    type + " with (" + match.inputs().get(0) + ", ... "
                            + match.inputs().size() + " inputs) came with " + match.since());
        }
        for (int i = 0; i < operation.inputCount(); i++) {
            if (!operation.has(i) && !signatures.isOptional(i)) {
                operation.require(false, "input " + i, "omitted", "a value: it is not optional");
                return false;
            }
        }
        return true;
    }

    /** States demands beyond the signature and its rules. Types are known to match a signature. */
    protected void check(ValidationContext operation) {}

    /**
     * Sets the shape of every output from known input shapes, and rejects what could not be seen before. Not called
     * with unknown ranks or dimensions. An output left unset is set by {@link #execute} (shapes that depend on data).
     *
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if operands are illegal
     */
    public final void prepare(OperationContext operation) {
        for (OperandRule rule : signatures.rules()) {
            rule.check(operation);
        }
        inferShapes(operation);
    }

    /**
     * The shape rule: what {@link #prepare} does once operands have the ranks and values that the signatures demand.
     */
    protected abstract void inferShapes(OperationContext operation);

    /** Computes every output; {@link #prepare} has accepted the same operands. */
    public abstract void execute(ExecutionContext operation);
}
