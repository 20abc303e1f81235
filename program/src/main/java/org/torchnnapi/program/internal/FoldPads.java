package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.PadOp;
import org.torchnnapi.program.op.QuantizedConvolutionOp;

/** Makes zeros around images (zero points, of bytes) the padding of the convolution that reads them. */
final class FoldPads implements Pass {
    @Override
    public void run(MutableGraph draft) {
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            int at = producers[node.inputs()[0]];
            if (at >= 0 && nodes.get(at).op() instanceof PadOp pad) {
                Op padded = padded(node.op(), pad, draft.type(node.inputs()[0]));
                if (padded != null) {
                    int[] inputs = node.inputs().clone();
                    inputs[0] = nodes.get(at).inputs()[0];
                    nodes.set(i, new OpGraph.Node(padded, inputs, node.output()));
                }
            }
        }
        draft.replace(nodes);
    }

    private static Op padded(Op op, PadOp pad, ValueType type) {
        if (pad.value() != type.zeroPoint()) {
            return null;
        }
        if (op instanceof ConvolutionOp c) {
            ConvShape shape = padded(c.shape(), c.order(), pad);
            return shape == null
                    ? null
                    : new ConvolutionOp(shape, c.order(), c.weights(), c.bias(), c.activation(), c.precision());
        }
        if (op instanceof QuantizedConvolutionOp c) {
            ConvShape shape = padded(c.shape(), c.order(), pad);
            return shape == null
                    ? null
                    : new QuantizedConvolutionOp(
                            shape, c.order(), c.weights(), c.bias(), c.requantization(), c.output(), c.sum());
        }
        return null;
    }

    /** The geometry with the padding inside; null if it pads batches or channels, or the convolution is transposed. */
    private static ConvShape padded(ConvShape shape, ImageLayout order, PadOp pad) {
        int channels = order == ImageLayout.NCHW ? 1 : 3;
        int height = order == ImageLayout.NCHW ? 2 : 1;
        int[] before = pad.before();
        int[] after = pad.after();
        if (shape.transposed() || (before[0] | after[0] | before[channels] | after[channels]) != 0) {
            return null;
        }
        int inH = shape.inH() - before[height] - after[height];
        int inW = shape.inW() - before[height + 1] - after[height + 1];
        return new ConvShape(
                shape.inC(),
                inH,
                inW,
                shape.outC(),
                shape.kernelH(),
                shape.kernelW(),
                shape.strideH(),
                shape.strideW(),
                shape.dilationH(),
                shape.dilationW(),
                shape.padTop() + before[height],
                shape.padBottom() + after[height],
                shape.padLeft() + before[height + 1],
                shape.padRight() + after[height + 1],
                shape.groups(),
                false,
                0,
                0);
    }
}
