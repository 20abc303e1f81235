package org.torchnnapi.nnapi.op;

/** A basic recurrent layer: {@code h' = activation(W x + R h + A extra + b)}. */
final class RnnCell {
    private final float[] weights;
    private final float[] recurrent;
    private final float[] bias;
    private final float[] auxiliary;
    private final RecurrentActivation activation;
    private final int units;
    private final int inputs;
    private final int auxiliaryInputs;

    /**
     * @param at input position of the weights, which recurrent weights and bias follow
     * @param auxiliaryWeights position of the weights of an auxiliary input, or -1
     */
    RnnCell(OperationContext operation, int at, int auxiliaryWeights, RecurrentActivation activation) {
        weights = Reals.read(operation, at);
        recurrent = Reals.read(operation, at + 1);
        bias = Reals.read(operation, at + 2);
        auxiliary = auxiliaryWeights < 0 ? null : Reals.read(operation, auxiliaryWeights);
        auxiliaryInputs = auxiliary == null ? 0 : operation.dim(auxiliaryWeights, 1);
        units = operation.dim(at, 0);
        inputs = operation.dim(at, 1);
        this.activation = activation;
    }

    /** Checks the shapes of the parameters from {@code at} on and of the state. */
    static void check(OperationContext operation, int at, int state, int batches, int inputSize) {
        int units = operation.dim(at, 0);
        operation.requireDims(at, units, inputSize);
        operation.requireDims(at + 1, units, units);
        operation.requireDims(at + 2, units);
        operation.requireDims(state, batches, units);
    }

    int units() {
        return units;
    }

    /** One step for one batch; {@code h} from {@code atH} on is read, then replaced. {@code extra} may be null. */
    void step(float[] x, int atX, float[] extra, int atExtra, float[] h, int atH) {
        float[] next = new float[units];
        for (int u = 0; u < units; u++) {
            double sum = bias[u]
                    + Reals.dot(weights, u * inputs, x, atX, inputs)
                    + Reals.dot(recurrent, u * units, h, atH, units);
            if (auxiliary != null && extra != null) {
                sum += Reals.dot(auxiliary, u * auxiliaryInputs, extra, atExtra, auxiliaryInputs);
            }
            next[u] = (float) activation.apply(sum);
        }
        System.arraycopy(next, 0, h, atH, units);
    }
}
