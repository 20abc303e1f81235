package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Activation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.op.FusedActivation;
import org.torchnnapi.nnapi.op.OperandNames;
import org.torchnnapi.program.op.LinearOp;
import org.torchnnapi.program.op.MatrixProductOp;
import org.torchnnapi.program.op.QuantizedLinearOp;
import org.torchnnapi.program.op.ReshapeOp;

/**
 * FULLY_CONNECTED over rows, into which the input is cut whatever its shape. Constant weights are packed; of floats,
 * those that come at run time are multiplied as they are.
 */
final class FullyConnectedOperationLowering implements OperationLowering {
    private static final OperandNames INPUTS = OperationView.inputs(OperationType.FULLY_CONNECTED);
    private static final int WEIGHTS = INPUTS.at("weights");
    private static final int BIAS = INPUTS.at("bias");
    private static final int ACTIVATION = INPUTS.at("activation");

    @Override
    public Problem typeRefusal(OperationView site) {
        return ProductWeights.typeRefusal(site);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return input == ACTIVATION || input > 0 && !site.isFloat();
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        int size = site.in(WEIGHTS).dimension(1);
        int outputs = site.in(WEIGHTS).dimension(0);
        int rows = (int) (site.in(0).elementCount() / size);
        FusedActivation activation = FusedActivation.ofCode(site.intValue(ACTIVATION));
        int input = translation.add(new ReshapeOp(new int[] {rows, size}), translation.in(site, 0));
        if (site.isFloat() && !(site.isConstant(WEIGHTS) && site.isConstant(BIAS))) {
            int product = translation.add(new MatrixProductOp(true, 1), input, translation.in(site, WEIGHTS));
            ProductWeights.biased(site, product, activation, translation);
        } else if (site.isFloat()) {
            translation.result(
                    site,
                    new LinearOp(
                            size,
                            outputs,
                            site.weights(WEIGHTS),
                            site.floats(BIAS),
                            Activation.of(OperationView.clamp(activation.ordinal())),
                            site.precision()),
                    input);
        } else {
            translation.result(
                    site,
                    new QuantizedLinearOp(
                            size,
                            outputs,
                            ProductWeights.weights(site, site.bytes(WEIGHTS)),
                            site.ints(BIAS),
                            ProductWeights.requantization(site, activation),
                            site.outQuantization()),
                    input);
        }
    }
}
