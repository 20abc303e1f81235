package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::einsum}: tensors are joined one after the other, each time by a batch of products of matrices. */
final class Einsum {
    private static final String OTHERS = "...";

    private final NnapiBuilder nnapi;
    private final Map<Character, Integer> sizes = new HashMap<>();

    /**
     * A tensor and the letters of its dimensions, in the order in which NNAPI has them, whatever dimensions it has
     * there.
     */
    private record Operand(OperandRef term, String letters) {}

    private Einsum(NnapiBuilder nnapi) {
        this.nnapi = nnapi;
    }

    static LoweringPlan plan(Node node, LoweringContext context) {
        String equation = context.text(node.input(0)).replace(" ", "");
        List<Value> items = context.items(node.input(1));
        int arrow = equation.indexOf("->");
        String[] given = (arrow < 0 ? equation : equation.substring(0, arrow)).split(",", -1);
        if (items.size() != given.length) {
            return LoweringPlan.refused(
                    "einsum names the dimensions of each of its tensors", equation, "such as bij,bjk->bik");
        }
        int most = 0;
        for (int i = 0; i < given.length; i++) {
            int others = others(given[i], context.facts(items.get(i)));
            given[i] = named(given[i], others);
            most = Math.max(most, others);
        }
        String out = arrow < 0
                ? named(equation.contains(OTHERS) ? OTHERS : "", most) + implied(equation.replace(OTHERS, ""))
                : named(equation.substring(arrow + 2), most);
        Einsum einsum = new Einsum(context.nnapi());
        for (int i = 0; i < given.length; i++) {
            context.requireFloat(items.get(i));
            TensorFacts known = context.facts(items.get(i));
            if (!einsum.collect(given[i], known)) {
                return LoweringPlan.refused(
                        "einsum's letters must fit the tensors", given[i] + " for " + known, "one size per letter");
            }
        }
        return () -> einsum.run(node, context, items, given, out);
    }

    /** How many dimensions three dots stand for. */
    private static int others(String letters, TensorFacts known) {
        return letters.contains(OTHERS) ? Math.max(0, known.rank() - letters.length() + OTHERS.length()) : 0;
    }

    /** Dimensions that have no letters get some that equations cannot have, the same ones from the last one on. */
    private static String named(String letters, int others) {
        StringBuilder names = new StringBuilder();
        for (int i = others; i > 0; i--) {
            names.append((char) ('0' + i));
        }
        return letters.replace(OTHERS, names);
    }

    /** Without an arrow, the letters that occur once in the alphabet's order. */
    private static String implied(String equation) {
        StringBuilder out = new StringBuilder();
        for (char c : new TreeSet<>(
                equation.replace(",", "").chars().mapToObj(c -> (char) c).collect(Streams.toList()))) {
            if (equation.indexOf(c) == equation.lastIndexOf(c)) {
                out.append(c);
            }
        }
        return out.toString();
    }

    private void run(Node node, LoweringContext context, List<Value> items, String[] letters, String out) {
        List<Operand> operands = new ArrayList<>();
        for (int i = 0; i < letters.length; i++) {
            int[] order = context.order(items.get(i));
            operands.add(diagonal(new Operand(context.in(items.get(i), order), picked(letters[i], order))));
        }
        Operand all = null;
        for (int i = 0; i < letters.length; i++) {
            String wanted = out + String.join("", Arrays.asList(letters).subList(i + 1, letters.length));
            String beside = all == null ? "" : all.letters();
            Operand own = summed(operands.get(i), wanted + beside);
            all = all == null ? own : joined(summed(all, wanted + own.letters()), own, wanted);
        }
        OperandRef moved = arranged(summed(all, out), out);
        int[] result = context.facts(node.output()).shape();
        context.shaped(node.output(), moved);
    }

    private static String picked(String letters, int... order) {
        StringBuilder out = new StringBuilder();
        Arrays.stream(order).forEach(d -> out.append(letters.charAt(d)));
        return out.toString();
    }

    /** Notes the sizes of letters; false where one has two, or a dimension has none. */
    private boolean collect(String letters, TensorFacts known) {
        for (int d = 0; d < letters.length(); d++) {
            char c = letters.charAt(d);
            if (letters.length() != known.rank() || sizes.getOrDefault(c, known.size(d)) != known.size(d)) {
                return false;
            }
            sizes.put(c, known.size(d));
        }
        return true;
    }

    /** A letter that a tensor has twice stands for what lies on the diagonal. */
    private Operand diagonal(Operand operand) {
        for (char c : operand.letters().toCharArray()) {
            int first = operand.letters().indexOf(c);
            int second = operand.letters().indexOf(c, first + 1);
            if (second < 0) {
                continue;
            }
            StringBuilder rest = new StringBuilder(operand.letters());
            rest.deleteCharAt(second).deleteCharAt(first);
            int rank = operand.letters().length();
            int[] order = IntStream.concat(
                            IntStream.range(0, rank).filter(d -> d != first && d != second),
                            IntStream.of(first, second))
                    .toArray();
            int size = sizes.get(c);
            OperandRef rows = nnapi.reshape(
                    Shapes.moved(nnapi, operand.term(), shape(operand), order),
                    size(rest),
                    Math.multiplyExact(size, size));
            return diagonal(new Operand(nnapi.slice(rows, 1, 0, size * size, size + 1), rest.toString() + c));
        }
        return operand;
    }

    /** Sums over the letters that nothing else has. */
    private Operand summed(Operand operand, String wanted) {
        String kept = letters(operand.letters(), wanted, true);
        String gone = letters(operand.letters(), wanted, false);
        if (gone.isEmpty()) {
            return operand;
        }
        OperandRef rows = nnapi.reshape(arranged(operand, kept + gone), size(kept), size(gone));
        return new Operand(nnapi.reduce(OperationType.REDUCE_SUM, rows, 1), kept);
    }

    private static String letters(String from, String among, boolean present) {
        StringBuilder out = new StringBuilder();
        from.chars().distinct().filter(c -> among.indexOf(c) >= 0 == present).forEach(c -> out.append((char) c));
        return out.toString();
    }

    private Operand joined(Operand a, Operand b, String wanted) {
        String shared = letters(a.letters(), b.letters(), true);
        // In the order in which the result has them, as it is often larger than what it is made of.
        String left = letters(wanted, a.letters() + b.letters(), true);
        String batch = letters(left, shared, true);
        String rows = letters(letters(left, shared, false), a.letters(), true);
        String columns = letters(letters(left, shared, false), b.letters(), true);
        String sum = letters(shared, wanted, false);
        OperandRef x = nnapi.reshape(arranged(a, batch + rows + sum), size(batch), size(rows), size(sum));
        OperandRef y = nnapi.reshape(arranged(b, batch + columns + sum), size(batch), size(columns), size(sum));
        return new Operand(Products.batches(nnapi, x, y), batch + rows + columns);
    }

    private OperandRef arranged(Operand operand, String wanted) {
        return Shapes.moved(
                nnapi,
                operand.term(),
                shape(operand),
                wanted.chars().map(operand.letters()::indexOf).toArray());
    }

    private int[] shape(Operand operand) {
        return operand.letters().chars().map(c -> sizes.get((char) c)).toArray();
    }

    private int size(CharSequence letters) {
        return letters.chars().map(c -> sizes.get((char) c)).reduce(1, Math::multiplyExact);
    }
}
