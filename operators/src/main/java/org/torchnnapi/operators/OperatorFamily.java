package org.torchnnapi.operators;

/** One file of related operators. */
public interface OperatorFamily {
    /** Receives the operators of a family. */
    interface Registrar {
        /**
         * @param schema as PyTorch writes it, for example
         *               {@code aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor}
         */
        void op(String schema, OperatorKernel kernel);
    }

    /** Hands over all operators, in the same order and with the same texts each time: overloads are tried in that order. */
    void register(Registrar registrar);
}
