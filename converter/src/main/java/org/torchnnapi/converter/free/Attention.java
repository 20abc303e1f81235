package org.torchnnapi.converter.free;

import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** {@code aten::_native_multi_head_attention} of a sequence to itself. */
final class Attention {
    private static final int PROJECTION = 5;
    private static final int MASK = 9;

    private Attention() {
    }

    static void lower(Node node, Scope scope) {
        Value x = node.input(0);
        scope.requireFloat(x);
        TensorFacts known = scope.facts(x);
        boolean plain = node.input(1) == x && node.input(2) == x && known.rank() == 3 && !node.output(1).isUsed() && scope.isNone(node.input(MASK));
        if (!plain) {
            throw new Refused("attention is that of a sequence to itself", known.toString(), "one sequence, no mask, and no weights asked for", "");
        }
        int batch = known.size(0);
        int length = known.size(1);
        int width = known.size(2);
        int heads = Math.toIntExact(scope.integer(node.input(4)));
        int size = width / heads;
        NetBuilder net = scope.net();
        Tensor weight = scope.tensor(node.input(PROJECTION));
        Tensor bias = scope.tensor(node.input(PROJECTION + 1));
        Term rows = scope.as(x, batch * length, width);
        Term[] parts = new Term[3];
        for (int i = 0; i < parts.length; i++) {
            Tensor own = Convolutions.rows(weight, i * width, width);
            Term part = net.fullyConnected(rows, net.constant(own), net.constant(Convolutions.rows(bias, i * width, width)), 0, 0);
            parts[i] = net.reshape(part, batch, length, heads, size);
        }
        Term queries = net.reshape(net.transpose(net.mul(parts[0], 1 / Math.sqrt(size)), 0, 2, 1, 3), batch * heads, length, size);
        Term keys = net.reshape(net.transpose(parts[1], 0, 2, 1, 3), batch * heads, length, size);
        Term values = net.reshape(net.transpose(parts[2], 0, 2, 3, 1), batch * heads, size, length);
        Term weights = net.softmax(Products.batches(net, queries, keys), 2);
        Term mixed = net.reshape(Products.batches(net, weights, values), batch, heads, length, size);
        Term joined = net.reshape(net.transpose(mixed, 0, 2, 1, 3), batch * length, width);
        Term out = net.fullyConnected(joined, net.constant(scope.tensor(node.input(PROJECTION + 2))), net.constant(scope.tensor(node.input(PROJECTION + 3))), 0, 0);
        scope.define(node.output(0), net.reshape(out, batch, length, width));
    }
}
