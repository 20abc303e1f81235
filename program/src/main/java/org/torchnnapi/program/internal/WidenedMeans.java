package org.torchnnapi.program.internal;

import java.util.Arrays;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ReduceOp;

/**
 * Joins a network's last pointwise convolution with the means of its channels, where nothing else uses the images:
 * these then never go to memory, and threads need not wait for each other between the two.
 */
final class WidenedMeans implements Pass {
    @Override
    public void run(MutableGraph draft) {
        Search search = new Search(draft);
        for (int i = 0; i < search.nodes.size(); i++) {
            if (search.nodes.get(i).op() instanceof ReduceOp reduce) {
                search.at(i, reduce);
            }
        }
        draft.replace(search.nodes);
    }

    /** Whether it takes the mean over height and width, and nothing else, of images declared in an order. */
    static boolean isMeanOfChannels(ReduceOp reduce, ImageLayout order) {
        int[] axes = Arrays.stream(reduce.axes())
                .map(axis -> Math.floorMod(axis, 4))
                .sorted()
                .toArray();
        return reduce.reduction() == ReductionKernel.MEAN
                && Arrays.equals(axes, ImageStorage.channelAxis(order) == 1 ? new int[] {2, 3} : new int[] {1, 2});
    }

    private static final class Search extends MutableGraphRewriting {
        Search(MutableGraph draft) {
            super(draft);
        }

        void at(int position, ReduceOp reduce) {
            OpGraph.Node node = nodes.get(position);
            int source = producer(node.inputs()[0], 1);
            if (source >= 0
                    && nodes.get(source).op() instanceof ExpandDepthwise widening
                    && widening.depthwise() == null
                    && widening.squeeze() == null
                    && widening.means() == null
                    && isMeanOfChannels(reduce, widening.expand().order())) {
                nodes.set(
                        position,
                        new OpGraph.Node(
                                widening.reducedTo(reduce), nodes.get(source).inputs(), node.output()));
                nodes.set(source, null);
            }
        }
    }
}
