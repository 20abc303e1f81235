package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.BinaryOp;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ScaledConv;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.BinaryMathOp;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.ReduceOp;

/**
 * Joins squeeze-and-excitation blocks (Hu et al., Squeeze-and-Excitation Networks, 2018) with what computes their
 * channels and with the pointwise convolution behind them, so that threads meet less often. Between a widening and a
 * narrowing in halves the means and the first small product become part of the one, the second product part of the
 * other. Behind a chain, of which threads take some rows each, they take the same rows' sums, and each does both
 * products. Other factors of channels become part of the convolution alone.
 */
final class SqueezeExciteFusion implements Pass {
    /** Weights of a product that takes less than for threads to wait for each other. */
    private static final int FEW_WEIGHTS = 4096;

    /** The two products and what comes behind them, with all nodes that they stand for. */
    private record Found(ConvolutionOp squeeze, ConvolutionOp excite, List<OpGraph.Node> nodes) {}

    @Override
    public void run(MutableGraph draft) {
        Search search = new Search(draft);
        for (int i = 0; i < search.nodes.size(); i++) {
            OpGraph.Node node = search.nodes.get(i);
            ConvolutionOp convolution = node != null && node.op() instanceof HalvedConvolution halved
                    ? halved.convolution()
                    : node != null
                                    && node.op() instanceof ConvolutionOp plain
                                    && !plain.isOfHalves()
                                    && isPointwise(plain)
                                    && ScaledConv.pays()
                            ? plain
                            : null;
            if (convolution != null) {
                search.at(i, convolution);
            }
        }
        draft.replace(search.nodes);
    }

    private static boolean isPointwise(ConvolutionOp convolution) {
        ConvShape shape = convolution.shape();
        return shape.isPointwise() && shape.groups() == 1 && !shape.transposed() && shape.outH() * shape.outW() > 1;
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        /** @param convolution pointwise */
        void at(int last, ConvolutionOp convolution) {
            OpGraph.Node product = maker(nodes.get(last).inputs()[0], 1);
            if (product == null
                    || !(product.op() instanceof BinaryMathOp binary)
                    || binary.op() != BinaryOp.MUL
                    || !binary.clamp().isNone()) {
                return;
            }
            for (int side = 0; side < 2; side++) {
                int images = product.inputs()[side];
                int factors = product.inputs()[1 - side];
                if (draft.type(images).equals(draft.type(product.output()))
                        && isOnePerChannel(factors, images, convolution)) {
                    join(last, convolution, product, images, factors);
                    return;
                }
            }
        }

        private boolean isOnePerChannel(int factors, int images, ConvolutionOp convolution) {
            int[] expected = {draft.type(images).dimension(0), 1, 1, 1};
            expected[ImageStorage.channelAxis(convolution.order())] =
                    convolution.shape().inC();
            return Arrays.equals(draft.type(factors).shape(), expected);
        }

        private void join(int last, ConvolutionOp convolution, OpGraph.Node product, int images, int factors) {
            Found found = find(images, factors, convolution);
            OpGraph.Node source = maker(images, 2);
            boolean halved = nodes.get(last).op() instanceof HalvedConvolution;
            if (halved && found != null && source != null && source.op() instanceof ExpandDepthwise widening) {
                squeeze(last, convolution, source, widening, found);
            } else if (!halved
                    && found != null
                    && source != null
                    && source.op() instanceof FloatBlock
                    && isQuick(found)) {
                sumRows(last, convolution, images, found);
            } else if (!halved) {
                int[] inputs = nodes.get(last).inputs();
                nodes.set(
                        last,
                        new OpGraph.Node(
                                new ScaledConvolution(convolution, null),
                                with(inputs, images, factors),
                                nodes.get(last).output()));
            } else {
                return;
            }
            nodes.set(producers[product.output()], null);
        }

        private static boolean isQuick(Found found) {
            return found.squeeze.weights().length() <= FEW_WEIGHTS
                    && found.excite.weights().length() <= FEW_WEIGHTS;
        }

        private void squeeze(
                int last, ConvolutionOp convolution, OpGraph.Node source, ExpandDepthwise widening, Found found) {
            ExpandDepthwise squeezing = widening.squeezing(found.squeeze);
            int squeezed = draft.add(squeezing.result(draft.types(source.inputs())), null, null);
            int parts = FloatWidening.Squeeze.parts(widening.last().shape());
            int[] inputs = nodes.get(last).inputs().clone();
            inputs[0] = squeezed;
            nodes.set(producers[source.output()], new OpGraph.Node(squeezing, source.inputs(), squeezed));
            HalvedConvolution excited =
                    new HalvedConvolution(convolution, new SqueezeExcite(parts, 0, found.squeeze, found.excite));
            nodes.set(last, new OpGraph.Node(excited, inputs, nodes.get(last).output()));
            remove(found);
        }

        private void sumRows(int last, ConvolutionOp convolution, int images, Found found) {
            SumsOfRows sums = new SumsOfRows(convolution.order());
            int parts = SumsOfRows.parts(draft.type(images), convolution.order());
            int summed = draft.add(sums.result(draft.types(new int[] {images})), null, null);
            ConvShape shape = convolution.shape();
            SqueezeExcite excitation = new SqueezeExcite(parts, shape.inH() * shape.inW(), found.squeeze, found.excite);
            nodes.set(producers[found.nodes.get(0).output()], new OpGraph.Node(sums, new int[] {images}, summed));
            for (OpGraph.Node node : found.nodes.subList(1, found.nodes.size())) {
                nodes.set(producers[node.output()], null);
            }
            nodes.set(
                    last,
                    new OpGraph.Node(
                            new ScaledConvolution(convolution, excitation),
                            with(nodes.get(last).inputs(), images, summed),
                            nodes.get(last).output()));
        }

        /** The inputs of a convolution with other images, and another value behind them. */
        private static int[] with(int[] inputs, int images, int second) {
            int[] more = new int[inputs.length + 1];
            more[0] = images;
            more[1] = second;
            System.arraycopy(inputs, 1, more, 2, inputs.length - 1);
            return more;
        }

        private void remove(Found found) {
            for (OpGraph.Node node : found.nodes) {
                nodes.set(producers[node.output()], null);
            }
        }

        /** What makes the factors of the means of the images' channels; null if something else does. */
        private Found find(int images, int factors, ConvolutionOp convolution) {
            OpGraph.Node gate = maker(factors, 1);
            OpGraph.Node excite = gate;
            if (gate != null && !(gate.op() instanceof ConvolutionOp)) {
                excite = maker(
                        gate.inputs()[gate.inputs().length == 2 && draft.isConstant(gate.inputs()[0]) ? 1 : 0], 1);
            }
            if (excite == null || !(excite.op() instanceof ConvolutionOp second) || !isOfOnePixel(excite, second)) {
                return null;
            }
            ConvolutionOp gated = second;
            if (gate.op() instanceof BinaryMathOp binary) {
                gated = times(binary, gate, second);
            } else if (gate != excite) {
                return null;
            }
            OpGraph.Node squeeze = maker(excite.inputs()[0], 1);
            if (gated == null
                    || squeeze == null
                    || !(squeeze.op() instanceof ConvolutionOp first)
                    || !isOfOnePixel(squeeze, first)) {
                return null;
            }
            OpGraph.Node mean = maker(squeeze.inputs()[0], 1);
            if (mean == null
                    || mean.inputs()[0] != images
                    || !(mean.op() instanceof ReduceOp reduce)
                    || !WidenedMeans.isMeanOfChannels(reduce, convolution.order())) {
                return null;
            }
            List<OpGraph.Node> all = new ArrayList<>(List.of(mean, squeeze, excite));
            if (gate != excite) {
                all.add(gate);
            }
            return new Found(first, gated, all);
        }

        /** The node that makes a value of so many uses; null if there is none. */
        private OpGraph.Node maker(int value, int count) {
            int at = producer(value, count);
            return at < 0 ? null : nodes.get(at);
        }

        private static boolean isOfOnePixel(OpGraph.Node node, ConvolutionOp convolution) {
            return node.inputs().length == 1
                    && convolution.shape().isPointwise()
                    && convolution.shape().groups() == 1
                    && !convolution.shape().transposed()
                    && convolution.shape().inH() * convolution.shape().inW() == 1;
        }

        /** The product with a constant number, as a convolution; null if it is another operation. */
        private ConvolutionOp times(BinaryMathOp binary, OpGraph.Node node, ConvolutionOp sums) {
            Object constant = draft.constant(node.inputs()[draft.isConstant(node.inputs()[0]) ? 0 : 1]);
            if (binary.op() != BinaryOp.MUL
                    || !binary.clamp().isNone()
                    || sums.activation().function() != null
                    || !(constant instanceof float[] numbers)
                    || numbers.length != 1
                    || !(numbers[0] > 0)) {
                return null;
            }
            Clamp limits = sums.activation().clamp();
            return scaled(sums, numbers[0], new Clamp(limits.min() * numbers[0], limits.max() * numbers[0]));
        }

        private static ConvolutionOp scaled(ConvolutionOp sums, float factor, Clamp limits) {
            float[] factors = new float[sums.shape().outC()];
            Arrays.fill(factors, factor);
            float[] bias = new float[factors.length];
            for (int c = 0; c < bias.length; c++) {
                bias[c] = (sums.bias() == null ? 0 : sums.bias()[c]) * factor;
            }
            return (ConvolutionOp) sums.with(sums.weights().scaled(factors), bias, Activation.of(limits));
        }
    }
}
