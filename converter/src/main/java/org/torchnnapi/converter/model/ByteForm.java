package org.torchnnapi.converter.model;

import java.util.Arrays;
import java.util.Collection;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * A function of single bytes that NNAPI computes on bytes, at most one quantum off.
 *
 * @param operator what the original calls, for the report
 * @param operations what NNAPI computes in its place, for the report
 * @param in what the argument's bytes stand for
 * @param out what the result's bytes stand for
 * @param exact what the original's operators give, by the unsigned value of the argument's byte
 * @param made the same as NNAPI's reference device computes it
 */
public record ByteForm(
        String operator,
        String operations,
        Quantization.PerTensor in,
        Quantization.PerTensor out,
        byte[] exact,
        byte[] made) {
    /** The largest difference that a form may have, in quanta. */
    public static final int MOST_QUANTA = 1;

    /** So many bytes there are. */
    public static final int BYTES = 256;

    /** What is no function of single bytes, and within the quantum by a rule. */
    public static ByteForm byRule(
            String operator, String operations, Quantization.PerTensor in, Quantization.PerTensor out) {
        return new ByteForm(operator, operations, in, out, new byte[0], new byte[0]);
    }

    /** How far it is off, for the report. */
    public static String text(Collection<ByteForm> alike) {
        int most = alike.stream().mapToInt(ByteForm::differing).max().orElse(0);
        return alike.stream().anyMatch(form -> form.exact.length == 0)
                ? "one quantum off at most"
                : most == 0
                        ? "equal for all values"
                        : "one quantum off for at most " + most + " of 256 values, equal for the others";
    }

    /** All bytes there are, in order. */
    public static Tensor all(Quantization q) {
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = (byte) i;
        }
        return Tensor.of(DType.QUINT8, bytes, BYTES).withQuantization(q);
    }

    /** Whether a node's result at a place follows from its arguments at that place. */
    public static boolean isElementwise(Node node) {
        return OperatorTrait.ELEMENTWISE.of(node) || QuantizeOperators.isStep(node);
    }

    /** Of how many of all bytes the results differ. */
    public int differing() {
        int count = 0;
        for (int i = 0; i < exact.length; i++) {
            count += exact[i] == made[i] ? 0 : 1;
        }
        return count;
    }

    /** Whether no result differs by more than {@link #MOST_QUANTA}. */
    public boolean isClose() {
        for (int i = 0; i < exact.length; i++) {
            if (Math.abs((exact[i] & 0xff) - (made[i] & 0xff)) > MOST_QUANTA) {
                return false;
            }
        }
        return true;
    }

    /** Whether this is about a function with these results. */
    public boolean isOf(Quantization other, Quantization result, byte[] results) {
        return exact.length == results.length
                && in.equals(other)
                && out.equals(result)
                && Arrays.equals(exact, results);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ByteForm form
                && operator.equals(form.operator)
                && operations.equals(form.operations)
                && isOf(form.in, form.out, form.exact)
                && Arrays.equals(made, form.made);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(exact) * 31 + operator.hashCode();
    }
}
