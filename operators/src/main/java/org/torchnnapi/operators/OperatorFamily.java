package org.torchnnapi.operators;

import java.util.Arrays;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** One file of related operators. */
public interface OperatorFamily {
    /** Receives the operators of a family. */
    interface Registrar {
        /** No traits. */
        OperatorTrait[] NONE = {};

        /**
         * @param schema as PyTorch writes it, for example
         *               {@code aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor}
         */
        default void op(String schema, OperatorKernel kernel) {
            op(schema, kernel, NONE);
        }

        /** @param traits what is true of it that the schema does not say */
        void op(String schema, OperatorKernel kernel, OperatorTrait... traits);

        /** Takes operators that all have these traits, beside those of their own. */
        default Registrar with(OperatorTrait... common) {
            return (schema, kernel, traits) -> {
                OperatorTrait[] all = Arrays.copyOf(common, common.length + traits.length);
                System.arraycopy(traits, 0, all, common.length, traits.length);
                op(schema, kernel, all);
            };
        }

        /**
         * An operator that is said in others.
         *
         * @param body see {@link Composite}
         */
        default void composite(String schema, String body, OperatorTrait... traits) {
            op(schema, new Composite(schema, body, null), traits);
        }

        /** The same, with a kernel that computes it without the detour. */
        default void composite(String schema, OperatorKernel kernel, String body, OperatorTrait... traits) {
            op(schema, new Composite(schema, body, kernel), traits);
        }
    }

    /** Hands over all operators, in the same order and with the same texts each time: overloads are tried in that order. */
    void register(Registrar registrar);
}
