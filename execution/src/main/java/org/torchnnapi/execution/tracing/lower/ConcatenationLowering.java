package org.torchnnapi.execution.tracing.lower;

import java.util.List;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/** Joining tensors of one type along a dimension they have, or a new one. */
final class ConcatenationLowering implements LoweringFamily {
    @Override
    public void register(Registrar r) {
        for (String name : new String[] {"cat", "concat"}) {
            r.add("aten::" + name, (lowered, node, a) -> cat(lowered, Args.tensors(a, 0), Args.integer(a, 1)));
        }
        r.add("aten::stack", (lowered, node, a) -> stack(lowered, Args.tensors(a, 0), Args.integer(a, 1)));
    }

    private static Tensor stack(Lowered lowered, List<Tensor> parts, long dim) {
        int d = Shape.wrap(dim, parts.get(0).rank() + 1);
        List<Tensor> wider = parts.stream()
                .map(t -> {
                    long[] sizes = new long[t.rank() + 1];
                    for (int i = 0; i < sizes.length; i++) {
                        sizes[i] = i == d ? 1 : t.sizes()[i < d ? i : i - 1];
                    }
                    int[] wide = Shape.toInts(sizes);
                    return lowered.compute(new ReshapeOp(wide), Lowered.tensor(t.dtype(), t.quantization(), wide), t);
                })
                .collect(Streams.toList());
        return cat(lowered, wider, d);
    }

    static Tensor cat(Lowered lowered, List<Tensor> parts, long dim) {
        Tensor first = parts.get(0);
        int d = Shape.wrap(dim, first.rank());
        int[] sizes = first.sizes().clone();
        sizes[d] = 0;
        MemoryFormat format = MemoryOrder.suggested(first);
        for (Tensor t : parts) {
            Support.require(
                    t.rank() == first.rank()
                            && t.dtype() == first.dtype()
                            && (PromotedNumbers.isPlain(t.dtype())
                                    || Support.isBytes(t) && t.quantization().equals(first.quantization())),
                    "parts of one type");
            sizes[d] += t.size(d);
            format = MemoryOrder.suggested(t) == format ? format : MemoryFormat.CONTIGUOUS;
        }
        return lowered.compute(
                new ConcatenationOp(d),
                Lowered.tensor(first.dtype(), first.quantization(), format, sizes),
                parts.toArray(new Tensor[0]));
    }
}
