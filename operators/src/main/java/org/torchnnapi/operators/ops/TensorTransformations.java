package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.list;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;
import static org.torchnnapi.operators.support.Args.text;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/** Copies with elements in another order or repeated: flip, roll, repeat, pixel shuffles, triangles, grids. */
public final class TensorTransformations implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.LINEAR);
        r.op(
                "aten::flip(Tensor self, int[] dims) -> Tensor",
                a -> flip(tensor(a, 0), ints(a, 1)),
                OperatorTrait.MIXES_ALONG);
        r.composite("aten::fliplr(Tensor self) -> Tensor", a -> flip(tensor(a, 0), 1), "return torch.flip(self, [1])");
        r.composite("aten::flipud(Tensor self) -> Tensor", a -> flip(tensor(a, 0), 0), "return torch.flip(self, [0])");
        r.op(
                "aten::roll(Tensor self, int[1] shifts, int[1] dims=[]) -> Tensor",
                a -> roll(tensor(a, 0), Args.integers(a, 1), ints(a, 2)));
        r.composite(
                "aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor",
                a -> rot90(tensor(a, 0), integer(a, 1), ints(a, 2)),
                """
            turns = torch.remainder(k, 4)
            if torch.eq(turns, 0):
              result = torch.clone(self)
            else:
              if torch.eq(turns, 2):
                result = torch.flip(self, dims)
              else:
                result = torch.flip(torch.transpose(self, dims[0], dims[1]), [dims[torch.floordiv(turns, 2)]])
            return result""");
        r.op("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", a -> repeat(tensor(a, 0), ints(a, 1)));
        r.op("aten::tile(Tensor self, int[] dims) -> Tensor", a -> {
            int[] times = ints(a, 1);
            int[] counts = new int[Math.max(times.length, tensor(a, 0).rank())];
            Arrays.fill(counts, 1);
            System.arraycopy(times, 0, counts, counts.length - times.length, times.length);
            return repeat(tensor(a, 0), counts);
        });
        r.op(
                "aten::repeat_interleave.self_int(Tensor self, int repeats, int? dim=None, *, "
                        + "int? output_size=None) -> Tensor",
                a -> interleave(tensor(a, 0), Tensor.of(new long[] {integer(a, 1)}, 1), integerOrNull(a, 2)));
        r.op(
                "aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, "
                        + "int? output_size=None) -> Tensor",
                a -> interleave(tensor(a, 0), tensor(a, 1), integerOrNull(a, 2)),
                OperatorTrait.DATA_DEPENDENT);
        r.composite(
                "aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
                a -> pixelShuffle(tensor(a, 0), int32(a, 1)),
                """
            h = torch.size(self, -2)
            w = torch.size(self, -1)
            split = torch.reshape(self, [-1, torch.floordiv(torch.size(self, -3), torch.mul(upscale_factor, \
            upscale_factor)), upscale_factor, upscale_factor, h, w])
            turned = torch.permute(split, [0, 1, 4, 2, 5, 3])
            sizes = torch.slice(torch.size(self), None, -3, 1)
            channels = torch.floordiv(torch.size(self, -3), torch.mul(upscale_factor, upscale_factor))
            return torch.reshape(turned, torch.add(sizes, [channels, torch.mul(h, upscale_factor), torch.mul(w, \
            upscale_factor)]))""",
                OperatorTrait.SHARES);
        r.composite(
                "aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
                a -> pixelUnshuffle(tensor(a, 0), int32(a, 1)),
                """
            h = torch.floordiv(torch.size(self, -2), downscale_factor)
            w = torch.floordiv(torch.size(self, -1), downscale_factor)
            channels = torch.size(self, -3)
            split = torch.reshape(self, [-1, channels, h, downscale_factor, w, downscale_factor])
            turned = torch.permute(split, [0, 1, 3, 5, 2, 4])
            sizes = torch.slice(torch.size(self), None, -3, 1)
            return torch.reshape(turned, torch.add(sizes, [torch.mul(channels, torch.mul(downscale_factor, \
            downscale_factor)), h, w]))""",
                OperatorTrait.SHARES);
        r.composite(
                "aten::channel_shuffle(Tensor self, int groups) -> Tensor",
                a -> channelShuffle(tensor(a, 0), int32(a, 1)),
                """
            n = torch.size(self, 0)
            per_group = torch.floordiv(torch.size(self, 1), groups)
            split = torch.reshape(self, [n, groups, per_group, -1])
            return torch.reshape(torch.transpose(split, 1, 2), torch.size(self))""",
                OperatorTrait.SHARES);
        r.op("aten::tril(Tensor self, int diagonal=0) -> Tensor", a -> triangle(tensor(a, 0), integer(a, 1), true));
        r.op("aten::triu(Tensor self, int diagonal=0) -> Tensor", a -> triangle(tensor(a, 0), integer(a, 1), false));
        r.op(
                "aten::tril_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), triangle(tensor(a, 0), integer(a, 1), true)));
        r.op(
                "aten::triu_(Tensor(a!) self, int diagonal=0) -> Tensor(a!)",
                a -> Tensors.copyInto(tensor(a, 0), triangle(tensor(a, 0), integer(a, 1), false)));
        r.op("aten::diag(Tensor self, int diagonal=0) -> Tensor", a -> diag(tensor(a, 0), int32(a, 1)));
        r.composite(
                "aten::diagflat(Tensor self, int offset=0) -> Tensor",
                a -> diagEmbed(TensorViews.reshape(tensor(a, 0), -1L), int32(a, 1)),
                "return torch.diag_embed(torch.reshape(self, [-1]), offset)");
        r.op(
                "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
                a -> diagEmbed(tensor(a, 0), int32(a, 1), integer(a, 2), integer(a, 3)));
        r.composite(
                "aten::broadcast_tensors(Tensor[] tensors) -> Tensor[]",
                a -> broadcast(tensors(a, 0)),
                """
            rank = 0
            for i in range(torch.len(tensors)):
              rank = ops.prim.max(rank, torch.dim(tensors[i]))
            sizes = torch.mul([1], rank)
            for j in range(torch.len(tensors)):
              lead = torch.sub(rank, torch.dim(tensors[j]))
              for d in range(torch.dim(tensors[j])):
                if torch.ne(torch.size(tensors[j], d), 1):
                  _0 = torch._set_item(sizes, torch.add(lead, d), torch.size(tensors[j], d))
                else:
                  _1 = 0
            expanded = annotate(List[Tensor], [])
            for k in range(torch.len(tensors)):
              _2 = torch.append(expanded, torch.expand(tensors[k], sizes))
            return expanded""",
                OperatorTrait.SHARES);
        r.composite(
                "aten::broadcast_to(Tensor(a) self, int[] size) -> Tensor(a)",
                a -> BroadcastShapes.expand(tensor(a, 0), ints(a, 1)),
                "return torch.expand(self, size)");
        r.composite(
                "aten::meshgrid(Tensor[] tensors) -> Tensor[]",
                a -> meshgrid(tensors(a, 0), "ij"),
                """
            sizes = annotate(List[int], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(sizes, torch.numel(tensors[i]))
            grids = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              view = annotate(List[int], [])
              for j in range(torch.len(tensors)):
                if torch.eq(i, j):
                  _1 = torch.append(view, sizes[i])
                else:
                  _2 = torch.append(view, 1)
              _3 = torch.append(grids, torch.expand(torch.reshape(tensors[i], view), sizes))
            return grids""",
                OperatorTrait.SHARES);
        r.composite(
                "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
                a -> meshgrid(tensors(a, 0), text(a, 1)),
                """
                grids = torch.meshgrid(tensors)
                if torch.__and__(torch.eq(indexing, "xy"), torch.gt(torch.len(tensors), 1)):
                  result = annotate(List[Tensor], [])
                  for i in range(torch.len(tensors)):
                    _0 = torch.append(result, torch.transpose(grids[i], 0, 1))
                else:
                  result = grids
                return result""",
                OperatorTrait.SHARES);
        all.op(
                "aten::one_hot(Tensor self, int num_classes=-1) -> Tensor",
                a -> oneHot(tensor(a, 0), integer(a, 1)),
                OperatorTrait.DATA_DEPENDENT);
    }

    static Tensor flip(Tensor t, int... dims) {
        ReducedRows.reduced(t.rank(), Arrays.stream(dims).asLongStream().toArray());
        Tensor out = t;
        for (int dim : dims) {
            int size = out.rank() == 0 ? 1 : out.size(dim);
            long[] order = new long[size];
            Arrays.setAll(order, i -> size - 1 - i);
            out = out.rank() == 0 ? out : TensorAdvancedIndexing.take(out, dim, Tensor.of(order, size));
        }
        return Tensors.ordered(out == t ? t.copy(MemoryFormat.CONTIGUOUS) : out, t);
    }

    private static Tensor roll(Tensor t, long[] shifts, int[] dims) {
        if (dims.length == 0 && shifts.length == 1) {
            return TensorViews.reshape(roll(TensorViews.reshape(t, -1L), shifts, new int[] {0}), t.sizes());
        }
        if (shifts.length != dims.length) {
            throw new IllegalArgumentException(
                    "shifts and dimensions must align. shifts: " + shifts.length + ", dims:" + dims.length);
        }
        Tensor out = t;
        for (int i = 0; i < dims.length; i++) {
            int size = out.size(dims[i]);
            long shift = size == 0 ? 0 : Math.floorMod(shifts[i], (long) size);
            long[] order = new long[Tensors.count(size)];
            Arrays.setAll(order, k -> Math.floorMod(k - shift, (long) size));
            out = TensorAdvancedIndexing.take(out, dims[i], Tensor.of(order, size));
        }
        return MemoryOrder.asSuggested(t, out);
    }

    private static Tensor rot90(Tensor t, long times, int[] dims) {
        if (dims.length != 2) {
            throw new IllegalArgumentException("expected total rotation dims == 2, but got dims = " + dims.length);
        }
        return switch ((int) Math.floorMod(times, 4L)) {
            case 1 -> TensorViews.transpose(flip(t, dims[1]), dims[0], dims[1]).contiguous();
            case 2 -> flip(t, dims);
            case 3 -> TensorViews.transpose(flip(t, dims[0]), dims[0], dims[1]).contiguous();
            default -> t.copy(MemoryFormat.CONTIGUOUS);
        };
    }

    private static Tensor repeat(Tensor t, int[] times) {
        int lead = times.length - t.rank();
        if (lead < 0 || Arrays.stream(times).anyMatch(n -> n < 0)) {
            throw new IllegalArgumentException(
                    "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: "
                            + Arrays.toString(times) + " for " + Arrays.toString(t.sizes()));
        }
        int[] split = new int[2 * times.length];
        int[] wide = new int[2 * times.length];
        int[] sizes = new int[times.length];
        for (int d = 0; d < times.length; d++) {
            int own = d < lead ? 1 : t.sizes()[d - lead];
            split[2 * d] = 1;
            split[2 * d + 1] = own;
            wide[2 * d] = times[d];
            wide[2 * d + 1] = own;
            sizes[d] = Math.multiplyExact(times[d], own);
        }
        Shape.numel(sizes);
        return TensorViews.reshape(
                BroadcastShapes.expand(TensorViews.reshape(t, split), wide).contiguous(), sizes);
    }

    private static Tensor interleave(Tensor given, Tensor repeats, Long dim) {
        Tensor t = dim == null ? TensorViews.reshape(given, -1L) : given;
        long d = dim == null ? 0 : dim;
        int size = t.size(d);
        long[] times = Elements.longs(repeats);
        if (times.length != 1 && times.length != size) {
            throw new IllegalArgumentException("repeats must have the same size as input along dim");
        }
        long total = 0;
        for (int i = 0; i < size; i++) {
            long n = times[times.length == 1 ? 0 : i];
            if (n < 0) {
                throw new IllegalArgumentException("repeats can not be negative");
            }
            total += n;
        }
        long[] order = new long[Tensors.count((int) Math.min(total, Integer.MAX_VALUE))];
        int at = 0;
        for (int i = 0; i < size; i++) {
            for (long n = times[times.length == 1 ? 0 : i]; n > 0; n--) {
                order[at++] = i;
            }
        }
        return TensorAdvancedIndexing.take(t, d, Tensor.of(order, order.length));
    }

    private static int[] with(Tensor t, int lead, int... rest) {
        int[] sizes = Arrays.copyOf(t.sizes(), lead + rest.length);
        System.arraycopy(rest, 0, sizes, lead, rest.length);
        return sizes;
    }

    private static int[] order(int lead, int... rest) {
        int[] order = new int[lead + rest.length];
        for (int i = 0; i < order.length; i++) {
            order[i] = i < lead ? i : lead + rest[i - lead];
        }
        return order;
    }

    private static Tensor pixelShuffle(Tensor t, int factor) {
        int lead = t.rank() - 3;
        if (lead < 0 || factor < 1 || t.size(-3) % ((long) factor * factor) != 0) {
            throw new IllegalArgumentException(
                    "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                            + "upscale_factor, but input " + Arrays.toString(t.sizes()) + " and factor " + factor);
        }
        int c = t.size(-3) / (factor * factor);
        int h = t.size(-2);
        int w = t.size(-1);
        Tensor split = TensorViews.reshape(t, with(t, lead, c, factor, factor, h, w));
        return MemoryOrder.asSuggested(
                t,
                TensorViews.reshape(
                        split.permute(order(lead, 0, 3, 1, 4, 2)).contiguous(),
                        with(t, lead, c, h * factor, w * factor)));
    }

    private static Tensor pixelUnshuffle(Tensor t, int factor) {
        int lead = t.rank() - 3;
        if (lead < 0 || factor < 1 || t.size(-2) % factor != 0 || t.size(-1) % factor != 0) {
            throw new IllegalArgumentException(
                    "pixel_unshuffle expects height and width to be divisible by downscale_factor, but got "
                            + Arrays.toString(t.sizes()) + " and factor " + factor);
        }
        if (t.numel() == 0) {
            // PyTorch does not change the sizes of nothing.
            return t.contiguous();
        }
        int c = t.size(-3);
        int h = t.size(-2) / factor;
        int w = t.size(-1) / factor;
        Tensor split = TensorViews.reshape(t, with(t, lead, c, h, factor, w, factor));
        return MemoryOrder.asSuggested(
                t,
                TensorViews.reshape(
                        split.permute(order(lead, 0, 2, 4, 1, 3)).contiguous(),
                        with(t, lead, c * factor * factor, h, w)));
    }

    private static Tensor channelShuffle(Tensor t, int groups) {
        if (t.rank() < 3 || groups < 1 || t.sizes()[1] % groups != 0) {
            throw new IllegalArgumentException("Number of channels must be divisible by groups. Got "
                    + Arrays.toString(t.sizes()) + " channels and " + groups + " groups.");
        }
        int[] split = new int[t.rank() + 1];
        split[0] = t.sizes()[0];
        split[1] = groups;
        split[2] = t.sizes()[1] / groups;
        System.arraycopy(t.sizes(), 2, split, 3, t.rank() - 2);
        return MemoryOrder.asSuggested(
                t,
                TensorViews.reshape(
                        TensorViews.transpose(TensorViews.reshape(t, split), 1, 2)
                                .contiguous(),
                        t.sizes()));
    }

    private static Tensor triangle(Tensor t, long diagonal, boolean lower) {
        if (t.numel() == 0) {
            return t.contiguous();
        }
        if (t.rank() < 2) {
            throw new IllegalArgumentException(
                    (lower ? "tril" : "triu") + ": input tensor must have at least 2 dimensions");
        }
        int rows = t.size(-2);
        int columns = t.size(-1);
        byte[] keep = new byte[Tensors.count(rows, columns)];
        for (int i = 0; i < keep.length; i++) {
            long distance = i % columns - i / columns;
            keep[i] = (byte) ((lower ? distance <= diagonal : distance >= diagonal) ? 1 : 0);
        }
        Tensor zero = Tensors.empty(t.dtype(), new int[0]);
        return TensorCompare.where(Tensor.of(DType.BOOL, keep, rows, columns), t, zero);
    }

    private static Tensor diag(Tensor t, int offset) {
        if (t.rank() == 2) {
            int[] sizes = t.sizes();
            int length = Math.max(
                    offset >= 0 ? Math.min(sizes[0], sizes[1] - offset) : Math.min(sizes[0] + offset, sizes[1]), 0);
            int at = t.offset() + (length == 0 ? 0 : offset >= 0 ? offset * t.strides()[1] : -offset * t.strides()[0]);
            return t.asStrided(new int[] {length}, new int[] {t.strides()[0] + t.strides()[1]}, at)
                    .copy(MemoryFormat.CONTIGUOUS);
        }
        return diagEmbed(t, offset);
    }

    /** The last dimension on the diagonal of the planes that two dimensions of the result span. */
    private static Tensor diagEmbed(Tensor t, int offset, long first, long second) {
        int rank = t.rank() + 1;
        int row = Shape.wrap(first, rank);
        int column = Shape.wrap(second, rank);
        if (row == column) {
            throw new IllegalArgumentException("diagonal dimensions cannot be identical " + first + ", " + second);
        }
        Tensor planes = diagEmbed(t, offset);
        int[] order = new int[rank];
        for (int d = 0, next = 0; d < rank; d++) {
            order[d] = d == row ? rank - 2 : d == column ? rank - 1 : next++;
        }
        return planes.permute(order);
    }

    static Tensor diagEmbed(Tensor t, int offset) {
        int n = t.size(-1) + Math.abs(offset);
        int[] sizes = with(t, t.rank() - 1, n, n);
        Tensor out = Tensors.empty(t.dtype(), sizes);
        int[] strides = Arrays.copyOf(out.strides(), t.rank());
        strides[t.rank() - 1] = n + 1;
        out.asStrided(t.sizes(), strides, offset >= 0 ? offset : -offset * n).copyFrom(t);
        return out;
    }

    private static ScriptList broadcast(List<Tensor> parts) {
        int[] sizes = BroadcastShapes.shape(parts.stream().map(Tensor::sizes).toArray(int[][]::new));
        return list(parts.stream().map(t -> BroadcastShapes.expand(t, sizes)).collect(Streams.toList()));
    }

    static ScriptList meshgrid(List<Tensor> axes, String indexing) {
        if (!indexing.equals("ij") && !indexing.equals("xy")) {
            throw new IllegalArgumentException(
                    "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: " + indexing);
        }
        boolean swap = indexing.equals("xy") && axes.size() >= 2;
        int n = axes.size();
        int[] sizes = new int[n];
        for (int i = 0; i < n; i++) {
            sizes[i] = (int) axes.get(i).numel();
        }
        List<Tensor> grids = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            int[] own = new int[n];
            Arrays.fill(own, 1);
            own[i] = sizes[i];
            Tensor grid = BroadcastShapes.expand(TensorViews.reshape(axes.get(i), own), sizes);
            grids.add(swap ? TensorViews.transpose(grid, 0, 1) : grid);
        }
        return list(grids);
    }

    private static Tensor oneHot(Tensor t, long classes) {
        long[] at = Elements.longs(t);
        long count = classes;
        if (classes == -1) {
            count = Arrays.stream(at).max().orElse(-1) + 1;
        }
        int[] sizes = Shape.toInts(LongStream.concat(Arrays.stream(Shape.toLongs(t.sizes())), LongStream.of(count))
                .toArray());
        Tensor out = Tensors.empty(DType.INT64, sizes);
        for (int i = 0; i < at.length; i++) {
            if (at[i] < 0 || at[i] >= count) {
                throw new IllegalArgumentException(
                        at[i] < 0
                                ? "Class values must be non-negative."
                                : "Class values must be smaller than num_classes.");
            }
            out.storage().longArray()[(int) (i * count + at[i])] = 1;
        }
        return out;
    }
}
