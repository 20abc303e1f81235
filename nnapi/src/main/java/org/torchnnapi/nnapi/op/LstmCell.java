package org.torchnnapi.nnapi.op;

import java.util.Arrays;

/**
 * One long short-term memory layer: parameters as the LSTM operations of all kinds lay them out, and one step in time.
 *
 * <pre>
 * i = sigmoid(Wi x + Ri h + Pi * c + bi)         (1 - f where the input gate is coupled)
 * f = sigmoid(Wf x + Rf h + Pf * c + bf)
 * c' = clip(f * c + i * g(Wc x + Rc h + bc))
 * o = sigmoid(Wo x + Ro h + Po * c' + bo)
 * h' = clip(projection(o * g(c')))
 * </pre>
 *
 * With layer normalisation each sum but its bias is normalised over the units and scaled first.
 */
final class LstmCell {
    /** Added to no variance but a zero one, as the specification's reference does. */
    private static final double MIN_VARIANCE = 1e-8;

    private static final int INPUT = 0;
    private static final int FORGET = 1;
    private static final int CELL = 2;
    private static final int OUTPUT = 3;
    private static final int GATES = 4;

    private final float[][] weights = new float[GATES][];
    private final float[][] recurrent = new float[GATES][];
    private final float[][] auxiliary = new float[GATES][];
    private final float[][] peephole = new float[GATES][];
    private final float[][] bias = new float[GATES][];
    private final float[][] normalisation = new float[GATES][];
    private final float[] projection;
    private final float[] projectionBias;
    private final RecurrentActivation activation;
    private final float cellClip;
    private final float projectionClip;
    private final int units;
    private final int outputs;
    private final int inputs;
    private final int auxiliaryInputs;
    private final double[][] gates;

    private LstmCell(OperationContext operation, LstmOperands at, int inputSize, int auxiliarySize, int activationAt) {
        read(operation, at.weights(), weights);
        read(operation, at.recurrent(), recurrent);
        read(operation, at.bias(), bias);
        if (at.auxiliary() >= 0 && auxiliarySize > 0) {
            read(operation, at.auxiliary(), auxiliary);
        }
        if (at.normalization() >= 0) {
            read(operation, at.normalization(), normalisation);
        }
        peephole[INPUT] = Reals.read(operation, at.peephole());
        peephole[FORGET] = Reals.read(operation, at.peephole() + 1);
        peephole[OUTPUT] = Reals.read(operation, at.peephole() + 2);
        projection = Reals.read(operation, at.projection());
        projectionBias = Reals.read(operation, at.projection() + 1);
        activation = RecurrentActivation.of(operation, activationAt);
        cellClip = operation.floatValue(activationAt + 1);
        projectionClip = operation.floatValue(activationAt + 2);
        units = units(operation, at);
        outputs = outputs(operation, at);
        inputs = inputSize;
        auxiliaryInputs = auxiliarySize;
        gates = new double[GATES][units];
    }

    /** The parameters at these positions; {@link #check} has accepted their shapes. */
    static LstmCell of(
            OperationContext operation, LstmOperands at, int inputSize, int auxiliarySize, int activationAt) {
        return new LstmCell(operation, at, inputSize, auxiliarySize, activationAt);
    }

    private static void read(OperationContext operation, int from, float[][] target) {
        for (int gate = 0; gate < GATES; gate++) {
            target[gate] = Reals.read(operation, from + gate);
        }
    }

    static int units(OperationContext operation, LstmOperands at) {
        return operation.dim(at.weights() + OUTPUT, 0);
    }

    static int outputs(OperationContext operation, LstmOperands at) {
        return operation.dim(at.recurrent() + OUTPUT, 1);
    }

    /** Whether the input gate is left out and coupled to the forget gate (CIFG). */
    static boolean isCoupled(OperationContext operation, LstmOperands at) {
        return !operation.has(at.weights());
    }

    /** Checks the shapes of all parameters, and that those which belong together are given together. */
    static void check(OperationContext operation, LstmOperands at, int batches, int inputSize, int auxiliarySize) {
        boolean coupled = isCoupled(operation, at);
        int units = units(operation, at);
        int outputs = outputs(operation, at);
        operation.require(units > 0, "units", units, "> 0");
        for (int gate = coupled ? FORGET : INPUT; gate < GATES; gate++) {
            operation.requireDims(at.weights() + gate, units, inputSize);
            operation.requireDims(at.recurrent() + gate, units, outputs);
            operation.requireDims(at.bias() + gate, units);
            if (at.auxiliary() >= 0 && auxiliarySize > 0 && operation.has(at.auxiliary() + OUTPUT)) {
                operation.requireDims(at.auxiliary() + gate, units, auxiliarySize);
            }
        }
        together(
                operation,
                coupled,
                "input gate weights, recurrent weights and bias",
                at.weights(),
                at.recurrent(),
                at.bias());
        checkPeephole(operation, at, coupled, units);
        if (operation.has(at.projection())) {
            operation.requireDims(at.projection(), outputs, units);
        } else {
            operation.require(
                    outputs == units,
                    "output size",
                    outputs,
                    "the number of units, " + units + ", without projection weights");
        }
        if (operation.has(at.projection() + 1)) {
            operation.require(
                    operation.has(at.projection()), "projection bias", "given", "left out without projection weights");
            operation.requireDims(at.projection() + 1, outputs);
        }
        operation.requireDims(at.state(), batches, outputs);
        operation.requireDims(at.state() + 1, batches, units);
        if (at.normalization() >= 0 && operation.has(at.normalization() + OUTPUT)) {
            for (int gate = coupled ? FORGET : INPUT; gate < GATES; gate++) {
                operation.requireDims(at.normalization() + gate, units);
            }
        }
    }

    private static void checkPeephole(OperationContext operation, LstmOperands at, boolean coupled, int units) {
        boolean given = operation.has(at.peephole() + 2);
        operation.require(
                given == operation.has(at.peephole() + 1), "peephole weights", "given in part", "all of them or none");
        operation.require(
                !given || coupled || operation.has(at.peephole()),
                "cell-to-input weights",
                "left out",
                "given with the other peephole weights");
        for (int i = 0; i < 3; i++) {
            if (operation.has(at.peephole() + i)) {
                operation.requireDims(at.peephole() + i, units);
            }
        }
    }

    private static void together(OperationContext operation, boolean absent, String what, int... positions) {
        for (int position : positions) {
            operation.require(operation.has(position) != absent, what, "given in part", "all of them or none");
        }
    }

    /**
     * One step for one batch.
     *
     * @param x inputs, from {@code atX} on
     * @param extra auxiliary inputs, from {@code atExtra} on, or null
     * @param h output state, from {@code atH} on: read, then replaced
     * @param c cell state, from {@code atC} on: read, then replaced
     */
    void step(float[] x, int atX, float[] extra, int atExtra, float[] h, int atH, float[] c, int atC) {
        boolean coupled = weights[INPUT] == null;
        for (int gate = coupled ? FORGET : INPUT; gate < OUTPUT; gate++) {
            sum(gate, x, atX, extra, atExtra, h, atH, c, atC);
        }
        for (int u = 0; u < units; u++) {
            double forget = RecurrentActivation.sigmoid(gates[FORGET][u]);
            double input = coupled ? 1 - forget : RecurrentActivation.sigmoid(gates[INPUT][u]);
            double cell = forget * c[atC + u] + input * activation.apply(gates[CELL][u]);
            c[atC + u] = (float) clip(cell, cellClip);
        }
        sum(OUTPUT, x, atX, extra, atExtra, h, atH, c, atC);
        float[] out = new float[units];
        for (int u = 0; u < units; u++) {
            out[u] = (float) (RecurrentActivation.sigmoid(gates[OUTPUT][u]) * activation.apply(c[atC + u]));
        }
        if (projection == null) {
            System.arraycopy(out, 0, h, atH, units);
            return;
        }
        for (int o = 0; o < outputs; o++) {
            double value =
                    Reals.dot(projection, o * units, out, 0, units) + (projectionBias == null ? 0 : projectionBias[o]);
            h[atH + o] = (float) clip(value, projectionClip);
        }
    }

    private void sum(int gate, float[] x, int atX, float[] extra, int atExtra, float[] h, int atH, float[] c, int atC) {
        double[] sums = gates[gate];
        for (int u = 0; u < units; u++) {
            double sum = Reals.dot(weights[gate], u * inputs, x, atX, inputs)
                    + Reals.dot(recurrent[gate], u * outputs, h, atH, outputs);
            if (extra != null && auxiliary[gate] != null) {
                sum += Reals.dot(auxiliary[gate], u * auxiliaryInputs, extra, atExtra, auxiliaryInputs);
            }
            if (peephole[gate] != null) {
                sum += (double) peephole[gate][u] * c[atC + u];
            }
            sums[u] = sum;
        }
        if (normalisation[gate] != null) {
            normalise(sums, normalisation[gate]);
        }
        for (int u = 0; u < units; u++) {
            sums[u] += bias[gate][u];
        }
    }

    private static void normalise(double[] values, float[] scales) {
        double mean = Arrays.stream(values).sum() / values.length;
        double variance =
                Arrays.stream(values).map(v -> (v - mean) * (v - mean)).sum() / values.length;
        double factor = 1 / Math.sqrt(variance == 0 ? MIN_VARIANCE : variance);
        for (int u = 0; u < values.length; u++) {
            values[u] = (values[u] - mean) * factor * scales[u];
        }
    }

    private static double clip(double value, float limit) {
        return limit > 0 ? Math.max(-limit, Math.min(limit, value)) : value;
    }
}
