package org.torchnnapi.nnapi.op;

/**
 * Where the parameters of one LSTM layer are among an operation's inputs; every group is in the order input, forget,
 * cell, output gate (peephole: input, forget, output).
 *
 * @param weights of the inputs, four
 * @param recurrent weights of the outputs before, four
 * @param peephole weights of the cells, three
 * @param bias of the gates, four
 * @param projection weights of the projection, which its bias follows
 * @param state the outputs before the first step, which the cells before it follow
 * @param auxiliary weights of an auxiliary input, four; -1 where the operation has none
 * @param normalization weights of layer normalization, four
 */
public record LstmOperands(
        int weights,
        int recurrent,
        int peephole,
        int bias,
        int projection,
        int state,
        int auxiliary,
        int normalization) {
    /** @param direction what the names of the layer's parameters begin with; empty where the operation has one layer */
    public static LstmOperands of(OperandNames names, String direction) {
        String auxiliary = name(direction, "auxiliaryWeights");
        return new LstmOperands(
                names.at(name(direction, "inputWeights")),
                names.at(name(direction, "recurrentWeights")),
                names.at(name(direction, "peepholeWeights")),
                names.at(name(direction, "bias")),
                names.at(name(direction, "projectionWeights")),
                names.at(name(direction, "outputState")),
                names.has(auxiliary) ? names.at(auxiliary) : -1,
                names.at(name(direction, "normalizationWeights")));
    }

    private static String name(String direction, String parameter) {
        return direction.isEmpty()
                ? parameter
                : direction + Character.toUpperCase(parameter.charAt(0)) + parameter.substring(1);
    }
}
