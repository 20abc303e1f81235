package org.torchnnapi.converter.free.lower;

import java.util.Arrays;
import java.util.Map;
import org.torchnnapi.converter.free.specialise.TensorFacts;
import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;

/** Batch, layer, group and instance normalisation, of means and products. */
final class Normalisations implements NodeFamily {
    @Override
    public void register(Map<String, NodeLowering> table) {
        table.put("aten::batch_norm", Normalisations::batch);
        table.put("aten::layer_norm", Normalisations::layer);
        table.put("aten::group_norm", Normalisations::group);
        table.put("aten::instance_norm", Normalisations::instance);
    }

    /** One factor and one summand per channel. */
    private static void batch(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        if (scope.optional(node, 3) == null && scope.optional(node, 4) == null) {
            ofTheBatch(node, scope);
            return;
        }
        if (scope.flag(node.input(5)) || scope.optional(node, 3) == null || scope.optional(node, 4) == null) {
            throw new Refused("batch normalisation uses the statistics of training", "training", "a module in evaluation mode", "call eval() before saving");
        }
        float[] mean = scope.tensor(node.input(3)).toFloatArray();
        float[] variance = scope.tensor(node.input(4)).toFloatArray();
        float epsilon = (float) scope.number(node.input(7));
        float[] scale = weights(scope, node, 1, mean.length, 1);
        float[] shift = weights(scope, node, 2, mean.length, 0);
        for (int c = 0; c < scale.length; c++) {
            scale[c] = scale[c] / (float) Math.sqrt(variance[c] + epsilon);
            shift[c] -= mean[c] * scale[c];
        }
        int[] order = scope.order(node.input(0));
        if (order.length > NetBuilder.MAX_RANK && order[order.length - 1] == 1) {
            NetBuilder net = scope.net();
            Elementwise.each(node, scope, x -> net.reshape(net.add(net.mul(net.reshape(x, x.count() / mean.length, mean.length), net.floats(scale, scale.length)),
                net.floats(shift, shift.length)), x.dims()));
            return;
        }
        if (order.length > NetBuilder.MAX_RANK || order.length < 2) {
            int[] shape = scope.facts(node.input(0)).shape();
            Term in = scope.as(node.input(0), shape[0], shape[1], Activations.inner(scope.facts(node.input(0)), 1));
            NetBuilder net = scope.net();
            scope.define(node.output(), net.add(net.mul(in, net.floats(scale, 1, scale.length, 1)), net.floats(shift, 1, shift.length, 1)));
            return;
        }
        int[] dims = channelDims(order, mean.length);
        Term factor = scope.net().floats(scale, dims);
        Term summand = scope.net().floats(shift, dims);
        Elementwise.each(node, scope, x -> scope.net().add(scope.net().mul(x, factor), summand));
    }

    /** By the mean and variance of what comes in, as a module has it that tracks none. */
    private static void ofTheBatch(Node node, Scope scope) {
        TensorFacts known = scope.facts(node.input(0));
        int channels = known.size(1);
        NetBuilder net = scope.net();
        Term rows = scope.as(node.input(0), known.size(0), channels, Activations.inner(known, 1));
        Term made = net.mul(normalised(net, rows, scope.number(node.input(7)), 0, 2), net.floats(weights(scope, node, 1, channels, 1), 1, channels, 1));
        define(scope, node.output(), net.add(made, net.floats(weights(scope, node, 2, channels, 0), 1, channels, 1)));
    }

    /** Dimensions of one value per channel, beside a tensor in the given order. */
    private static int[] channelDims(int[] order, int channels) {
        return Arrays.stream(order).map(d -> d == 1 ? channels : 1).toArray();
    }

    private static float[] weights(Scope scope, Node node, int index, int count, float absent) {
        Value given = scope.optional(node, index);
        if (given != null) {
            return scope.tensor(given).toFloatArray().clone();
        }
        float[] values = new float[count];
        Arrays.fill(values, absent);
        return values;
    }

    /** {@code (x - mean) / sqrt(var + epsilon)} over NNAPI's dimensions. */
    private static Term normalised(NetBuilder net, Term x, double epsilon, int... dimensions) {
        Term centred = net.sub(x, net.mean(x, dimensions));
        Term variance = net.mean(net.mul(centred, centred), dimensions);
        return net.mul(centred, net.inverseRoot(net.add(variance, epsilon)));
    }

    private static void layer(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        TensorFacts known = scope.facts(node.input(0));
        int count = scope.integers(node.input(1)).length;
        double epsilon = scope.number(node.input(4));
        NetBuilder net = scope.net();
        int first = known.rank() - count;
        int inner = Activations.outer(known, known.rank()) / Activations.outer(known, first);
        int[] order = scope.order(node.input(0));
        boolean last = count == 1 && order.length <= NetBuilder.MAX_RANK && order.length > 0;
        if (last) {
            // The dimension is reduced wherever NNAPI has it.
            int at = Scope.place(order, first);
            int[] dims = Arrays.stream(order).map(d -> d == first ? inner : 1).toArray();
            Term made = scaled(scope, node, normalised(net, scope.in(node.input(0), order), epsilon, at), dims);
            scope.define(node.output(), made, order);
            return;
        }
        Term made = scaled(scope, node, normalised(net, scope.as(node.input(0), Activations.outer(known, first), inner), epsilon, 1), 1, inner);
        scope.define(node.output(), net.reshape(made, known.rank() > NetBuilder.MAX_RANK ? Shapes.folded(known.shape()) : known.shape()));
    }

    /** Times input 2 plus input 3, where there are any. */
    private static Term scaled(Scope scope, Node node, Term x, int... dims) {
        Value weight = scope.optional(node, 2);
        Value bias = scope.optional(node, 3);
        NetBuilder net = scope.net();
        Term product = weight == null ? x : net.mul(x, net.floats(scope.tensor(weight).toFloatArray().clone(), dims));
        return bias == null ? product : net.add(product, net.floats(scope.tensor(bias).toFloatArray().clone(), dims));
    }

    private static void group(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        TensorFacts known = scope.facts(node.input(0));
        int groups = Math.toIntExact(scope.integer(node.input(1)));
        NetBuilder net = scope.net();
        Term rows = scope.as(node.input(0), known.size(0) * groups, known.size(1) / groups * Activations.inner(known, 1));
        Term made = net.reshape(normalised(net, rows, scope.number(node.input(4)), 1), known.size(0), known.size(1), Activations.inner(known, 1));
        define(scope, node.output(), scaled(scope, node, made, 1, known.size(1), 1));
    }

    private static void instance(Node node, Scope scope) {
        scope.requireFloat(node.input(0));
        if (!scope.flag(node.input(5))) {
            batch(node, scope);
            return;
        }
        TensorFacts known = scope.facts(node.input(0));
        NetBuilder net = scope.net();
        float[] scale = weights(scope, node, 1, known.size(1), 1);
        float[] shift = weights(scope, node, 2, known.size(1), 0);
        if (known.rank() == Scope.IMAGE.length && Arrays.equals(scope.order(node.input(0)), Scope.IMAGE)) {
            Term made = normalised(net, scope.image(node.input(0)), scope.number(node.input(7)), 1, 2);
            scope.define(node.output(), net.add(net.mul(made, net.floats(scale, 1, 1, 1, scale.length)), net.floats(shift, 1, 1, 1, shift.length)), Scope.IMAGE);
            return;
        }
        Term made = normalised(net, scope.as(node.input(0), known.size(0), known.size(1), Activations.inner(known, 1)), scope.number(node.input(7)), 2);
        define(scope, node.output(), net.add(net.mul(made, net.floats(scale, 1, scale.length, 1)), net.floats(shift, 1, shift.length, 1)));
    }

    private static void define(Scope scope, Value out, Term made) {
        int[] shape = scope.facts(out).shape();
        scope.define(out, scope.net().reshape(made, shape.length > NetBuilder.MAX_RANK ? Shapes.folded(shape) : shape));
    }
}
