package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::einsum} of two tensors, as a batch of products of matrices. */
final class Einsum {
    private Einsum() {
    }

    static void lower(Node node, Scope scope) {
        String equation = scope.text(node.input(0)).replace(" ", "");
        List<Value> items = scope.items(node.input(1));
        int arrow = equation.indexOf("->");
        int comma = equation.indexOf(',');
        if (items.size() != 2 || arrow < 0 || comma < 0 || comma > arrow || equation.contains(".")) {
            throw new Refused("einsum joins two tensors by a full equation", equation, "such as bij,bjk->bik", "");
        }
        String left = equation.substring(0, comma);
        String right = equation.substring(comma + 1, arrow);
        String out = equation.substring(arrow + 2);
        Value a = items.get(0);
        Value b = items.get(1);
        scope.requireFloat(a);
        scope.requireFloat(b);
        Map<Character, Integer> sizes = new HashMap<>();
        collect(left, scope.facts(a), sizes);
        collect(right, scope.facts(b), sizes);
        StringBuilder batch = new StringBuilder();
        StringBuilder sum = new StringBuilder();
        StringBuilder rows = new StringBuilder();
        StringBuilder columns = new StringBuilder();
        for (char c : left.toCharArray()) {
            boolean shared = right.indexOf(c) >= 0;
            boolean kept = out.indexOf(c) >= 0;
            if (!shared && !kept) {
                throw new Refused("einsum sums over dimensions of both tensors", equation, "no dimension of one tensor alone that goes", "");
            }
            (shared ? kept ? batch : sum : rows).append(c);
        }
        for (char c : right.toCharArray()) {
            if (left.indexOf(c) < 0) {
                if (out.indexOf(c) < 0) {
                    throw new Refused("einsum sums over dimensions of both tensors", equation, "no dimension of one tensor alone that goes", "");
                }
                columns.append(c);
            }
        }
        NetBuilder net = scope.net();
        Term x = net.reshape(arranged(scope, a, left, batch.toString() + rows + sum), size(batch, sizes), size(rows, sizes), size(sum, sizes));
        Term y = net.reshape(arranged(scope, b, right, batch.toString() + columns + sum), size(batch, sizes), size(columns, sizes), size(sum, sizes));
        Term product = Products.batches(net, x, y);
        String made = batch.toString() + rows + columns;
        int[] shape = made.chars().map(c -> sizes.get((char) c)).toArray();
        int[] from = out.chars().map(made::indexOf).toArray();
        Term moved = Shapes.moved(net, product, shape, from);
        int[] result = scope.facts(node.output()).shape();
        scope.define(node.output(), net.reshape(moved, result.length > NetBuilder.MAX_RANK ? Shapes.folded(result) : Scope.boxed(result)));
    }

    private static void collect(String letters, TensorFacts known, Map<Character, Integer> sizes) {
        List<Character> seen = new ArrayList<>();
        for (int d = 0; d < letters.length(); d++) {
            char c = letters.charAt(d);
            if (letters.length() != known.rank() || seen.contains(c) || sizes.getOrDefault(c, known.size(d)) != known.size(d)) {
                throw new Refused("einsum's letters must fit the tensors", letters + " for " + known, "one size per letter", "");
            }
            seen.add(c);
            sizes.put(c, known.size(d));
        }
    }

    private static Term arranged(Scope scope, Value value, String letters, String wanted) {
        return Shapes.moved(scope.net(), scope.plain(value), scope.facts(value).shape(), wanted.chars().map(letters::indexOf).toArray());
    }

    private static int size(CharSequence letters, Map<Character, Integer> sizes) {
        return letters.chars().map(c -> sizes.get((char) c)).reduce(1, Math::multiplyExact);
    }
}
