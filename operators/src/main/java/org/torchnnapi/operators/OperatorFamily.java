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
         * @param schema as PyTorch writes it, for example {@code aten::add.Tensor(Tensor self, Tensor other, *, Scalar
         *     alpha=1) -> Tensor}
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

        /**
         * An operator whose result always shows memory of its first argument, {@code self}, and how to get back: what
         * the argument is once the view of it is another tensor, {@code src}, of the same sizes and dtype.
         *
         * @param inverse a body as of a composite, whose parameters are {@code self}, {@code src} and the operator's
         *     other arguments; null where the view shows elements several times, or others than numbers
         */
        default void view(String schema, OperatorKernel kernel, String inverse, OperatorTrait... traits) {
            with(OperatorTrait.VIEW).op(schema, kernel, traits);
            if (inverse != null) {
                int rest = schema.indexOf("(a) self") + "(a) self".length();
                String arguments = schema.substring(rest, schema.lastIndexOf(')', schema.lastIndexOf("->")));
                composite(
                        OperatorForms.inverse(schema.substring(0, schema.indexOf('('))) + "(Tensor self, Tensor src"
                                + arguments + ") -> Tensor",
                        inverse);
            }
        }

        /**
         * What an operator that takes or gives complex numbers is in operators of their parts ({@code torch.real},
         * {@code torch.imag}, {@code torch.complex}), for back ends that have real numbers only.
         *
         * @param schema the operator's, which is defined elsewhere
         * @param body as of a composite
         */
        default void complex(String schema, String body) {
            int end = schema.indexOf('(');
            composite(OperatorForms.complex(schema.substring(0, end)) + schema.substring(end), body);
        }

        /**
         * An operator that lists views of its first argument, {@code self}, and how to make one of them alone.
         *
         * @param item a body as of a composite, whose parameters are {@code self}, the operator's other arguments and
         *     {@code number}, of the item, from 0
         */
        default void views(String schema, OperatorKernel kernel, String item, OperatorTrait... traits) {
            op(schema, kernel, traits);
            int rest = schema.indexOf(" self") + " self".length();
            String arguments = schema.substring(rest, schema.lastIndexOf(')', schema.lastIndexOf("->")))
                    .replaceAll("=[^,)]*", "");
            composite(
                    OperatorForms.item(schema.substring(0, schema.indexOf('('))) + "(Tensor self" + arguments
                            + ", int number) -> Tensor",
                    item);
        }
    }

    /**
     * Hands over all operators, in the same order and with the same texts each time: overloads are tried in that order.
     */
    void register(Registrar registrar);
}
