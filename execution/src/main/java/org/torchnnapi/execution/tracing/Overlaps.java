package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.execution.tracing.lower.Lowered;
import org.torchnnapi.execution.tracing.lower.NotLoweredException;
import org.torchnnapi.program.op.ConcatenationOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.SliceOp;
import org.torchnnapi.program.op.TransposeOp;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * What tensors of a recording hold after another name of their memory was written to. The tensor with all of a memory
 * takes up the parts that were written, between what lies around them; the others are parts of it again. That is
 * recorded when a tensor is next asked for. Confined to one thread.
 */
final class Overlaps {
    private final Tracer tracer;
    private final Map<Storage, List<Write>> writes = new IdentityHashMap<>();
    /** How many of the writes to its memory a tensor's value has. */
    private final Map<Tensor, Integer> seen = new IdentityHashMap<>();

    /**
     * New elements of a part of some memory.
     *
     * @param where the part
     * @param made the elements as a tensor of its own
     */
    private record Write(Tensor where, Tensor made, TracedCall call) {}

    /**
     * A part of a base, along each of the base's dimensions.
     *
     * @param order the base's dimensions of more than one element of the part, as those of the part follow each other
     */
    private record Box(int[] begin, int[] size, int[] step, int[] order) {}

    Overlaps(Tracer tracer) {
        this.tracer = tracer;
    }

    /** A tensor that has the value of its memory as it is at present. */
    void named(Tensor t) {
        seen.put(t, writes.getOrDefault(t.storage(), List.of()).size());
    }

    /** A tensor's value was replaced by an operator. */
    void written(Tensor t, Node node) {
        Tensor made = tracer.name(Lowered.tensor(t.dtype(), t.quantization(), t.sizes()), tracer.value(t));
        Tensor where = new Tensor(t.storage(), t.offset(), t.sizes(), t.strides(), t.quantization());
        writes.computeIfAbsent(t.storage(), s -> new ArrayList<>(1))
                .add(new Write(where, made, new TracedCall(tracer, node, null)));
        named(t);
    }

    /** The value that a tensor has after all writes, as a new tensor's; null where recordings cannot say it. */
    Tensor current(Tensor t) {
        List<Write> all = writes.getOrDefault(t.storage(), List.of());
        Tensor base = base(t);
        if (base == null || all.isEmpty()) {
            return null;
        }
        TracedCall last = all.get(all.size() - 1).call;
        try {
            Tensor whole = base;
            for (int i = seen.get(base); i < all.size(); i++) {
                whole = with(base, whole, all.get(i));
            }
            tracer.become(base, whole);
            return t == base ? base : part(last, base, t);
        } catch (NotLoweredException | IllegalArgumentException e) {
            return null;
        }
    }

    /** The first tensor over the same memory with the most of it. */
    private Tensor base(Tensor t) {
        Tensor base = null;
        for (Tensor candidate : tracer.sharers(t)) {
            boolean alike =
                    candidate.dtype() == t.dtype() && Objects.equals(candidate.quantization(), t.quantization());
            if (alike
                    && seen.containsKey(candidate)
                    && (base == null || candidate.numel() > base.numel())
                    && isBase(candidate)) {
                base = candidate;
            }
        }
        return base;
    }

    private static boolean isBase(Tensor t) {
        int[] order = byStride(t);
        for (int i = 0; i + 1 < order.length; i++) {
            if (t.strides()[order[i]] < (long) t.size(order[i + 1]) * t.strides()[order[i + 1]]) {
                return false;
            }
        }
        return t.numel() > 0 && (order.length == 0 || t.strides()[order[order.length - 1]] > 0);
    }

    /** The dimensions of more than one element, from the largest stride on. */
    private static int[] byStride(Tensor t) {
        int[] order = new int[t.rank()];
        int count = 0;
        for (int d = 0; d < order.length; d++) {
            if (t.size(d) > 1) {
                int at = count++;
                for (; at > 0 && t.strides()[order[at - 1]] < t.strides()[d]; at--) {
                    order[at] = order[at - 1];
                }
                order[at] = d;
            }
        }
        return Arrays.copyOf(order, count);
    }

    /** Both row by row over the same elements. */
    private static boolean reshapes(Tensor base, Tensor t) {
        return base.offset() == t.offset() && base.numel() == t.numel() && base.isContiguous() && t.isContiguous();
    }

    private static Box box(Tensor base, Tensor t) {
        int rank = base.rank();
        int[] begin = new int[rank];
        int[] size = new int[rank];
        int[] step = new int[rank];
        Arrays.fill(size, 1);
        Arrays.fill(step, 1);
        int[] order = byStride(base);
        int rest = t.offset() - base.offset();
        for (int d : order) {
            begin[d] = rest / base.strides()[d];
            rest %= base.strides()[d];
        }
        if (rest != 0 || t.offset() < base.offset() || t.numel() == 0) {
            throw new NotLoweredException(t + " (expected: a part of " + base + ")");
        }
        int[] walked = new int[t.rank()];
        int count = 0;
        for (int i = 0; i < t.rank(); i++) {
            if (t.size(i) == 1) {
                continue;
            }
            int found = -1;
            for (int d : order) {
                if (found < 0 && base.strides()[d] <= t.strides()[i]) {
                    found = d;
                }
            }
            if (found < 0 || size[found] > 1 || t.strides()[i] % base.strides()[found] != 0) {
                throw new NotLoweredException(t + " (expected: a part of " + base + ")");
            }
            size[found] = t.size(i);
            step[found] = t.strides()[i] / base.strides()[found];
            walked[count++] = found;
        }
        for (int d = 0; d < rank; d++) {
            if (begin[d] + (size[d] - 1L) * step[d] >= base.size(d)) {
                throw new NotLoweredException(t + " (expected: a part of " + base + ")");
            }
        }
        return new Box(begin, size, step, Arrays.copyOf(walked, count));
    }

    /** What a tensor views of its base. */
    private static Tensor part(TracedCall call, Tensor base, Tensor t) {
        if (reshapes(base, t)) {
            return shaped(call, base, t.sizes());
        }
        Box box = box(base, t);
        Tensor cut = call.compute(new SliceOp(box.begin, box.size, box.step), made(base, box.size), base);
        int[] sorted = box.order.clone();
        Arrays.sort(sorted);
        int[] extents = new int[sorted.length];
        int[] turn = new int[sorted.length];
        int[] turned = new int[sorted.length];
        for (int i = 0; i < sorted.length; i++) {
            extents[i] = box.size[sorted[i]];
            turn[i] = Arrays.binarySearch(sorted, box.order[i]);
            turned[i] = box.size[box.order[i]];
        }
        Tensor x = shaped(call, cut, extents);
        if (!Arrays.equals(sorted, box.order)) {
            x = call.compute(new TransposeOp(turn), made(base, turned), x);
        }
        return shaped(call, x, t.sizes());
    }

    /**
     * A base with what was written to a part of it.
     *
     * @param whole what it held before
     */
    private static Tensor with(Tensor base, Tensor whole, Write write) {
        TracedCall call = write.call;
        if (reshapes(base, write.where)) {
            return shaped(call, write.made, base.sizes());
        }
        Box box = box(base, write.where);
        for (int d = 0; d < box.step.length; d++) {
            if (box.step[d] != 1) {
                throw new NotLoweredException(
                        "a write to every " + box.step[d] + "th element (expected: adjacent ones)");
            }
        }
        int[] sorted = box.order.clone();
        Arrays.sort(sorted);
        int[] extents = new int[sorted.length];
        int[] turn = new int[sorted.length];
        int[] turned = new int[sorted.length];
        for (int i = 0; i < sorted.length; i++) {
            extents[i] = box.size[box.order[i]];
            turned[i] = box.size[sorted[i]];
            for (int k = 0; k < sorted.length; k++) {
                turn[i] = box.order[k] == sorted[i] ? k : turn[i];
            }
        }
        Tensor x = shaped(call, write.made, extents);
        if (!Arrays.equals(sorted, box.order)) {
            x = call.compute(new TransposeOp(turn), made(base, turned), x);
        }
        x = shaped(call, x, box.size);
        // From the last dimension on, what lies before and behind is put around it.
        int[] begin = box.begin.clone();
        int[] size = box.size.clone();
        int[] step = new int[size.length];
        Arrays.fill(step, 1);
        for (int d = size.length - 1; d >= 0; d--) {
            if (size[d] == base.size(d)) {
                continue;
            }
            List<Tensor> joined = new ArrayList<>(3);
            int behind = box.begin[d] + box.size[d];
            begin[d] = 0;
            size[d] = box.begin[d];
            if (size[d] > 0) {
                joined.add(call.compute(new SliceOp(begin.clone(), size.clone(), step), made(base, size), whole));
            }
            joined.add(x);
            begin[d] = behind;
            size[d] = base.size(d) - behind;
            if (size[d] > 0) {
                joined.add(call.compute(new SliceOp(begin.clone(), size.clone(), step), made(base, size), whole));
            }
            begin[d] = 0;
            size[d] = base.size(d);
            x = call.compute(new ConcatenationOp(d), made(base, size), joined.toArray(new Tensor[0]));
        }
        return x;
    }

    private static Tensor shaped(TracedCall call, Tensor t, int[] sizes) {
        return Arrays.equals(t.sizes(), sizes) ? t : call.compute(new ReshapeOp(sizes), made(t, sizes), t);
    }

    private static Tensor made(Tensor like, int[] sizes) {
        return Lowered.tensor(like.dtype(), like.quantization(), sizes.clone());
    }
}
