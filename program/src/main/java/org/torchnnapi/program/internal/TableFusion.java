package org.torchnnapi.program.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntBinaryOperator;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.QuantizedAddOp;
import org.torchnnapi.program.op.TableOp;

/**
 * Makes one table of what becomes of the bytes of one value by tables behind each other, and by sums and products of
 * such: {@code x * table(x)} is a table of x.
 */
final class TableFusion implements Pass {
    @Override
    public void run(MutableGraph draft) {
        int[] producers = draft.producers();
        List<OpGraph.Node> nodes = new ArrayList<>(draft.nodes());
        for (int i = 0; i < nodes.size(); i++) {
            OpGraph.Node node = nodes.get(i);
            if (node.op() instanceof TableOp table) {
                fuse(nodes, i, producers, table.output(), (x, same) -> table.table()[x]);
            } else if (node.op() instanceof BinaryTableOp pairs && haveOneShape(draft, node)) {
                fuse(nodes, i, producers, pairs.output(), (x, y) -> pairs.table()[x << 8 | y]);
            } else if (node.op() instanceof QuantizedAddOp add && haveOneShape(draft, node)) {
                int mask = add.output().element() == Element.INT8 ? -1 : 0xff;
                fuse(nodes, i, producers, add.output(), (x, y) -> add.sum().apply((byte) x & mask, (byte) y & mask));
            }
        }
        draft.replace(nodes);
    }

    private static boolean haveOneShape(MutableGraph draft, OpGraph.Node node) {
        ValueType a = draft.type(node.inputs()[0]);
        return Arrays.equals(a.shape(), draft.type(node.inputs()[1]).shape());
    }

    /**
     * @param output what the result's bytes stand for
     * @param function of the unsigned values of the inputs' bytes
     */
    private static void fuse(
            List<OpGraph.Node> nodes,
            int position,
            int[] producers,
            ByteQuantization output,
            IntBinaryOperator function) {
        OpGraph.Node node = nodes.get(position);
        int[] inputs = node.inputs();
        int first = inputs[0];
        int last = inputs[inputs.length - 1];
        byte[] tableA = table(nodes, producers, first);
        byte[] tableB = table(nodes, producers, last);
        int sourceA = tableA == null ? first : nodes.get(producers[first]).inputs()[0];
        int sourceB = tableB == null ? last : nodes.get(producers[last]).inputs()[0];
        if (sourceA != sourceB || tableA == null && node.op() instanceof TableOp) {
            return;
        }
        byte[] fused = new byte[256];
        for (int x = 0; x < fused.length; x++) {
            fused[x] = (byte)
                    function.applyAsInt(tableA == null ? x : tableA[x] & 0xff, tableB == null ? x : tableB[x] & 0xff);
        }
        nodes.set(position, new OpGraph.Node(new TableOp(fused, output), new int[] {sourceA}, node.output()));
    }

    /** The table that a value was looked up in, or null. */
    private static byte[] table(List<OpGraph.Node> nodes, int[] producers, int value) {
        int at = producers[value];
        return at >= 0 && nodes.get(at).op() instanceof TableOp table ? table.table() : null;
    }
}
