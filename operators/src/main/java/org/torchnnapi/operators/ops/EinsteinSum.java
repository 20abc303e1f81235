package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;
import static org.torchnnapi.operators.support.Args.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** {@code einsum}: products summed over the subscripts that the result does not have. */
public final class EinsteinSum implements OperatorFamily {
    private static final int FIRST_ELLIPSIS = -100;
    private static final int ALPHABET = 26;

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
                a -> einsum(text(a, 0).replace(" ", ""), tensors(a, 1)),
                OperatorTrait.SHARES_ONE);
        r.op("aten::einsum.sublist(Tensor a, ...) -> Tensor", EinsteinSum::ofLists, OperatorTrait.SHARES);
    }

    /** Operands, each followed by its subscripts as numbers, and at the end those of the result if they are given. */
    private static Tensor ofLists(Object[] a) {
        List<Tensor> operands = new ArrayList<>();
        StringBuilder equation = new StringBuilder();
        int end = a.length - a.length % 2;
        for (int i = 0; i < end; i += 2) {
            operands.add(tensor(a, i));
            equation.append(i == 0 ? "" : ",").append(letters(a, i + 1));
        }
        if (end < a.length) {
            equation.append("->").append(letters(a, end));
        }
        return einsum(equation.toString(), operands);
    }

    private static String letters(Object[] a, int at) {
        StringBuilder letters = new StringBuilder();
        for (long subscript : integers(a, at)) {
            if (subscript < 0 || subscript >= 2 * ALPHABET) {
                throw new IllegalArgumentException("einsum(): expected subscript in argument " + at
                        + " to be within the range [0, 52), but got " + subscript);
            }
            letters.append((char) (subscript < ALPHABET ? 'A' + subscript : 'a' + subscript - ALPHABET));
        }
        return letters.toString();
    }

    private static Tensor einsum(String equation, List<Tensor> operands) {
        int arrow = equation.indexOf("->");
        String[] left = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        if (left.length != operands.size() || operands.isEmpty()) {
            throw new IllegalArgumentException(
                    "einsum(): " + left.length + " subscripts for " + operands.size() + " operands");
        }
        List<List<Integer>> subscripts = new ArrayList<>();
        int ellipsis = 0;
        for (int i = 0; i < left.length; i++) {
            List<Integer> own = subscripts(left[i], operands.get(i).rank());
            subscripts.add(own);
            ellipsis = Math.max(ellipsis, (int) own.stream().filter(s -> s < 0).count());
        }
        List<Integer> output =
                arrow < 0 ? implicit(subscripts, ellipsis) : subscripts(equation.substring(arrow + 2), -1 - ellipsis);
        Set<Integer> all = new LinkedHashSet<>(output);
        subscripts.forEach(all::addAll);
        List<Integer> order = new ArrayList<>(all);
        for (Integer subscript : output) {
            if (subscript >= 0 && subscripts.stream().noneMatch(own -> own.contains(subscript))) {
                throw new IllegalArgumentException(
                        "einsum(): output subscript " + (char) (int) subscript + " does not appear in the equation");
            }
        }
        Tensor product = null;
        List<Integer> done = new ArrayList<>();
        for (int i = 0; i < operands.size(); i++) {
            Tensor aligned = aligned(operands.get(i), subscripts.get(i), order);
            done.addAll(subscripts.get(i));
            // What neither the result nor a later operand has is summed now, which keeps products small.
            List<List<Integer>> later = subscripts.subList(i + 1, subscripts.size());
            List<Integer> gone = new ArrayList<>();
            for (int d = 0; d < order.size(); d++) {
                Integer subscript = order.get(d);
                if (!output.contains(subscript)
                        && done.contains(subscript)
                        && later.stream().noneMatch(own -> own.contains(subscript))) {
                    gone.add(d);
                }
            }
            if (product == null) {
                // Sums of one operand are sums even over a single element.
                product = operands.size() > 1 || gone.isEmpty()
                        ? aligned
                        : ReduceOps.sum(aligned, gone.stream().mapToLong(d -> d).toArray(), true, null);
            } else {
                // A dimension of one factor alone is a plain sum, which makes whole numbers wide.
                product = times(
                        summed(product, without(gone, aligned), null), summed(aligned, without(gone, product), null));
                product = summed(product, gone, product.dtype());
            }
        }
        int[] sizes = Arrays.copyOf(product.sizes(), output.size());
        Tensor dense = product.contiguous();
        return dense.asStrided(sizes, Shape.contiguousStrides(sizes), dense.offset());
    }

    /** @param type of the sum, or null for that of plain sums */
    private static Tensor summed(Tensor t, List<Integer> dims, DType type) {
        long[] own = dims.stream().filter(d -> t.size(d) != 1).mapToLong(d -> d).toArray();
        return own.length == 0 ? t : ReduceOps.sum(t, own, true, type);
    }

    /** Those of the dimensions that the other factor does not have. */
    private static List<Integer> without(List<Integer> dims, Tensor other) {
        return dims.stream().filter(d -> other.size(d) == 1).collect(Streams.toList());
    }

    private static Tensor times(Tensor a, Tensor b) {
        DType type = Promotion.of(a, b);
        if (type.isComplex()) {
            return Elements.cast(ComplexOperators.multiply(a, b), type);
        }
        return Pointwise.binary(Elements.cast(a, type), Elements.cast(b, type), type, (x, y) -> x * y, (x, y) -> x * y);
    }

    /** One subscript a dimension: letters as they are, the dimensions of an ellipsis as negative numbers. */
    private static List<Integer> subscripts(String text, int rank) {
        List<Integer> out = new ArrayList<>();
        int dots = text.indexOf("...");
        int letters = text.length() - (dots < 0 ? 0 : 3);
        int hidden = rank < 0 ? -1 - rank : rank - letters;
        if (hidden < 0 || dots < 0 && rank >= 0 && hidden != 0) {
            throw new IllegalArgumentException("einsum(): the number of subscripts in \"" + text
                    + "\" does not match the number of dimensions (" + rank + ")");
        }
        for (int i = 0; i < text.length(); i++) {
            if (i == dots) {
                for (int k = 0; k < hidden; k++) {
                    out.add(FIRST_ELLIPSIS - hidden + k);
                }
                i += 2;
            } else if (Character.isLetter(text.charAt(i))) {
                out.add((int) text.charAt(i));
            } else {
                throw new IllegalArgumentException("einsum(): invalid subscript given at index " + i + " in \"" + text
                        + "\", subscripts must be in [a-zA-Z]");
            }
        }
        return out;
    }

    /** Without an arrow: the ellipsis, then the letters that occur once, in order. */
    private static List<Integer> implicit(List<List<Integer>> subscripts, int ellipsis) {
        List<Integer> out = new ArrayList<>();
        for (int k = 0; k < ellipsis; k++) {
            out.add(FIRST_ELLIPSIS - ellipsis + k);
        }
        Set<Integer> once = new TreeSet<>();
        Set<Integer> more = new TreeSet<>();
        subscripts.forEach(own -> own.stream().filter(s -> s >= 0).forEach(s -> {
            if (!once.add(s)) {
                more.add(s);
            }
        }));
        once.removeAll(more);
        out.addAll(once);
        return out;
    }

    /** A view with one dimension for each subscript of {@code order}; repeated subscripts take the diagonal. */
    private static Tensor aligned(Tensor t, List<Integer> own, List<Integer> order) {
        int[] sizes = new int[order.size()];
        int[] strides = new int[order.size()];
        Arrays.fill(sizes, 1);
        for (int d = 0; d < own.size(); d++) {
            int at = order.indexOf(own.get(d));
            if (strides[at] != 0 && sizes[at] != t.size(d)) {
                throw new IllegalArgumentException(
                        "einsum(): subscript is repeated for dimensions of sizes " + sizes[at] + " and " + t.size(d));
            }
            sizes[at] = t.size(d);
            strides[at] += t.strides()[d];
        }
        return t.asStrided(sizes, strides, t.offset());
    }
}
