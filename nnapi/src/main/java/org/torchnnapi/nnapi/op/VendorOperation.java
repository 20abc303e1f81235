package org.torchnnapi.nnapi.op;

import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * An operation whose operands and meaning a vendor's device alone knows: of an extension, or from before there were
 * extensions.
 */
final class VendorOperation extends OperationDefinition {
    VendorOperation(OperationType type) {
        super(type, Signatures.unknown());
    }

    /** Outputs are left open but where the model says their shapes. */
    @Override
    protected void inferShapes(OperationContext operation) {
        // No rule is known.
    }

    @Override
    public void execute(ExecutionContext operation) {
        throw new NnapiException(
                ResultCode.OP_FAILED,
                operation.operation() + ": no plain form (expected: a device that knows the operation)");
    }
}
