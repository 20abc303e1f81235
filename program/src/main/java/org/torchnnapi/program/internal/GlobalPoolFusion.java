package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Pooling;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ClampOp;
import org.torchnnapi.program.op.PoolOp;
import org.torchnnapi.program.op.ReduceOp;

/** Makes the pooling of whole images of floats a reduction, which leaves no padding between the channels. */
final class GlobalPoolFusion implements Pass {
    @Override
    public void run(MutableGraph draft) {
        List<OpGraph.Node> nodes = new ArrayList<>();
        for (OpGraph.Node node : draft.nodes()) {
            if (!(node.op() instanceof PoolOp pool) || !coversAll(pool.window())) {
                nodes.add(node);
                continue;
            }
            ReductionKernel reduction = pool.kind() == Pooling.Kind.MAX ? ReductionKernel.MAX : ReductionKernel.MEAN;
            ReduceOp reduce = new ReduceOp(
                    reduction, pool.order() == ImageLayout.NCHW ? new int[] {2, 3} : new int[] {1, 2}, true);
            if (pool.clamp().isNone()) {
                nodes.add(new OpGraph.Node(reduce, node.inputs(), node.output()));
            } else {
                int reduced = draft.add(draft.type(node.output()), null, null);
                nodes.add(new OpGraph.Node(reduce, node.inputs(), reduced));
                nodes.add(new OpGraph.Node(new ClampOp(pool.clamp()), new int[] {reduced}, node.output()));
            }
        }
        draft.replace(nodes);
    }

    private static boolean coversAll(Pooling.Window window) {
        return window.outH() * window.outW() == 1
                && window.kernelH() == window.inH()
                && window.kernelW() == window.inW()
                && (window.padTop() | window.padBottom() | window.padLeft() | window.padRight()) == 0
                && window.dilationH() * window.dilationW() == 1;
    }
}
