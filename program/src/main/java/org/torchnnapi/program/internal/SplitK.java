package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ConvolutionOp;

/**
 * Divides inverted residual blocks over small images by channels: what widens is joined with the depthwise convolution
 * behind it, and where what widens again takes what narrows, that stays in halves. Small images lie in the cache of the
 * core that computed them, and what threads read of each other's is what a second thread gains least by.
 */
final class SplitK implements Pass {
    @Override
    public void run(MutableGraph draft) {
        widen(draft);
        halve(draft);
    }

    private static void widen(MutableGraph draft) {
        int[] uses = draft.uses();
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            if (node == null
                    || node.inputs().length != 1
                    || !(node.op() instanceof ConvolutionOp depthwise)
                    || depthwise.isOfHalves()
                    || !isDepthwise(depthwise.shape())) {
                continue;
            }
            int before = uses[node.inputs()[0]] == 1 ? producers[node.inputs()[0]] : -1;
            ConvolutionOp expand = before < 0 ? null : pointwise(nodes.get(before));
            if (expand != null
                    && nodes.get(before).inputs().length == 1
                    && expand.order() == depthwise.order()
                    && FloatWidening.pays(depthwise.shape(), expand.shape().weightCount())) {
                nodes.set(
                        i,
                        new OpGraph.Node(
                                new ExpandDepthwise(expand, depthwise, false),
                                nodes.get(before).inputs(),
                                node.output()));
                nodes.set(before, null);
            }
        }
        draft.replace(nodes);
    }

    private static boolean isDepthwise(ConvShape shape) {
        return shape.isDepthwise() && shape.outC() == shape.inC() && !shape.transposed();
    }

    private static ConvolutionOp pointwise(OpGraph.Node node) {
        return node != null
                        && node.op() instanceof ConvolutionOp convolution
                        && !convolution.isOfHalves()
                        && convolution.shape().isPointwise()
                        && convolution.shape().groups() == 1
                        && !convolution.shape().transposed()
                ? convolution
                : null;
    }

    /** Whether it is the pointwise convolution behind the last block of a network. */
    private static boolean takesHalves(OpGraph.Node node) {
        ConvolutionOp convolution = pointwise(node);
        return convolution != null
                && node.inputs().length == 1
                && convolution.shape().inC() < convolution.shape().outC()
                && FloatWidening.pays(convolution.shape(), convolution.shape().weightCount());
    }

    private static void halve(MutableGraph draft) {
        boolean[] widened = new boolean[draft.values()];
        boolean[] wide = new boolean[draft.values()];
        for (OpGraph.Node node : draft.nodes()) {
            if (node.op() instanceof ExpandDepthwise) {
                widened[node.inputs()[0]] = true;
                wide[node.output()] = true;
            } else if (takesHalves(node)) {
                widened[node.inputs()[0]] = true;
            } else if (node.op() instanceof BinaryMathOp) {
                // Such as the scales of a squeeze-and-excitation block: threads take the same channels.
                wide[node.output()] = Arrays.stream(node.inputs())
                        .anyMatch(input -> wide[input] && draft.type(input).equals(draft.type(node.output())));
            }
        }
        Halved halved = new Halved(draft);
        for (OpGraph.Node node : draft.nodes()) {
            ConvolutionOp narrow = widened[node.output()] && wide[node.inputs()[0]] ? pointwise(node) : null;
            if (narrow != null && HalvedConvolution.pays(narrow)) {
                halved.add(node, narrow);
            } else {
                halved.add(node);
            }
        }
        for (int output : draft.outputs()) {
            halved.sum(output);
        }
        draft.replace(halved.nodes);
    }

    /**
     * Nodes after which some values are there in halves, and added up where something else than the halves is wanted.
     */
    private static final class Halved {
        private final MutableGraph draft;
        private final List<OpGraph.Node> nodes = new ArrayList<>();
        /** By value the one that has its halves. */
        private final Map<Integer, Integer> halves = new HashMap<>();

        private final Set<Integer> sums = new HashSet<>();

        Halved(MutableGraph draft) {
            this.draft = draft;
        }

        /** What narrows, with its result in halves. */
        void add(OpGraph.Node node, ConvolutionOp narrow) {
            int[] inputs = node.inputs().clone();
            if (inputs.length > 1) {
                inputs[1] = halves.getOrDefault(inputs[1], inputs[1]);
            }
            HalvedConvolution op = new HalvedConvolution(narrow, null);
            int half = draft.addInPlaceOf(op.result(draft.types(inputs)), null, node.output());
            halves.put(node.output(), half);
            nodes.add(new OpGraph.Node(op, inputs, half));
        }

        /** Anything else. */
        void add(OpGraph.Node node) {
            Integer half = halves.get(node.inputs().length == 0 ? -1 : node.inputs()[0]);
            ExpandDepthwise taker = half == null
                    ? null
                    : node.op() instanceof ExpandDepthwise widening
                            ? widening.ofHalves()
                            : takesHalves(node) ? new ExpandDepthwise(pointwise(node), null, true) : null;
            if (taker != null) {
                nodes.add(new OpGraph.Node(taker, new int[] {half}, node.output()));
                return;
            }
            for (int input : node.inputs()) {
                sum(input);
            }
            nodes.add(node);
        }

        /** Adds up the halves of a value that there is in halves alone. */
        void sum(int value) {
            Integer half = halves.get(value);
            if (half != null && sums.add(value)) {
                nodes.add(new OpGraph.Node(new SumOfHalves(), new int[] {half}, value));
            }
        }
    }
}
