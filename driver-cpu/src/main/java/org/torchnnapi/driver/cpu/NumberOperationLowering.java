package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Problem;

/**
 * An operation of which 32-bit numbers have a kind of their own.
 *
 * @param numbers of TENSOR_INT32
 * @param others of floats and bytes
 */
record NumberOperationLowering(OperationLowering numbers, OperationLowering others) implements OperationLowering {
    private OperationLowering of(OperationView site) {
        return site.in(0).type() == OperandType.TENSOR_INT32 ? numbers : others;
    }

    @Override
    public Problem typeRefusal(OperationView site) {
        return of(site).typeRefusal(site);
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return of(site).isParameter(site, input);
    }

    @Override
    public Problem refusal(OperationView site) {
        return of(site).refusal(site);
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        of(site).translate(site, translation);
    }
}
