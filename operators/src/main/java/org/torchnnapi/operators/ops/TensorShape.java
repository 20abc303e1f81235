package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integerOrNull;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.Composite;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.ImageCopies;
import org.torchnnapi.operators.support.ReducedRows;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Views that share storage, and the way back from them: reshaping, slicing, transposing, expanding. */
public final class TensorShape implements OperatorFamily {
    private static final String RESHAPED = "return torch.reshape_as(src, self)";
    private static final String MOVED_ONE = "return torch.movedim(self, [source], [destination])";
    private static final String MOVED = """
        rank = torch.dim(self)
        sources = annotate(List[int], [])
        targets = annotate(List[int], [])
        for i in range(torch.len(source)):
          _0 = torch.append(sources, torch.remainder(source[i], rank))
          _1 = torch.append(targets, torch.remainder(destination[i], rank))
        rest = annotate(List[int], [])
        for d in range(rank):
          if torch.__not__(torch.__contains__(sources, d)):
            _2 = torch.append(rest, d)
          else:
            _3 = 0
        order = annotate(List[int], [])
        for d in range(rank):
          if torch.__contains__(targets, d):
            _4 = torch.append(order, sources[torch.index(targets, d)])
          else:
            _5 = torch.append(order, torch.pop(rest, 0))
        return torch.permute(self, order)""";

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.LINEAR);
        r.view(
                "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
                a -> TensorViews.view(tensor(a, 0), integers(a, 1)),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.KEEPS_INTEGERS);
        all.view(
                "aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)",
                a -> TensorViews.viewedAs(tensor(a, 0), Args.dtype(a, 1)),
                null);
        r.op(
                "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
                a -> TensorViews.view(tensor(a, 0), integers(a, 1)),
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS);
        r.view(
                "aten::view_as(Tensor(a) self, Tensor other) -> Tensor(a)",
                a -> TensorViews.view(tensor(a, 0), Shape.toLongs(tensor(a, 1).sizes())),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
                a -> TensorViews.reshape(tensor(a, 0), integers(a, 1)),
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)",
                a -> TensorViews.reshape(
                        tensor(a, 0), Shape.toLongs(tensor(a, 1).sizes())),
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
                a -> TensorViews.flatten(tensor(a, 0), integer(a, 1), integer(a, 2)),
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::ravel(Tensor(a) self) -> Tensor(a)",
                a -> TensorViews.flatten(tensor(a, 0), 0, -1),
                OperatorTrait.KEEPS_ORDER);
        r.view(
                "aten::unflatten.int(Tensor(a) self, int dim, int[] sizes) -> Tensor(a)",
                a -> unflatten(tensor(a, 0), integer(a, 1), integers(a, 2)),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.NEEDS_ELEMENTS);
        r.view(
                "aten::select.int(Tensor(a) self, int dim, int index) -> Tensor(a)",
                a -> TensorViews.select(tensor(a, 0), integer(a, 1), integer(a, 2)),
                "return torch.select_scatter(self, src, dim, index)",
                OperatorTrait.NEEDS_ELEMENTS,
                OperatorTrait.KEEPS_INTEGERS);
        r.view(
                "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, "
                        + "SymInt step=1) -> Tensor(a)",
                a -> TensorViews.slice(
                        tensor(a, 0), integer(a, 1), integerOrNull(a, 2), integerOrNull(a, 3), integer(a, 4)),
                "return torch.slice_scatter(self, src, dim, start, end, step)",
                OperatorTrait.KEEPS_INTEGERS);
        r.view(
                "aten::narrow(Tensor(a) self, int dim, int start, int length) -> Tensor(a)",
                a -> TensorViews.narrow(tensor(a, 0), integer(a, 1), integer(a, 2), integer(a, 3)),
                """
            if torch.lt(start, 0):
              first = torch.add(start, torch.size(self, dim))
            else:
              first = start
            return torch.slice_scatter(self, src, dim, first, torch.add(first, length), 1)""",
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::narrow.Tensor(Tensor(a) self, int dim, Tensor start, int length) -> Tensor(a)",
                a -> TensorViews.narrow(tensor(a, 0), integer(a, 1), integer(a, 2), integer(a, 3)),
                OperatorTrait.NEEDS_ELEMENTS);
        r.op(
                "aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
                a -> TensorViews.narrow(tensor(a, 0), integer(a, 1), integer(a, 2), integer(a, 3))
                        .copy(MemoryFormat.CONTIGUOUS),
                OperatorTrait.NEEDS_ELEMENTS);
        r.view(
                "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
                a -> tensor(a, 0).permute(ints(a, 1)),
                """
            order = annotate(List[int], [])
            for i in range(torch.len(dims)):
              for k in range(torch.len(dims)):
                if torch.eq(torch.remainder(dims[k], torch.len(dims)), i):
                  _0 = torch.append(order, k)
                else:
                  pass
            return torch.permute(src, order)""",
                OperatorTrait.KEEPS_INTEGERS);
        r.view(
                "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
                a -> TensorViews.transpose(tensor(a, 0), integer(a, 1), integer(a, 2)),
                "return torch.transpose(src, dim0, dim1)",
                OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::transpose_(Tensor(a!) self, int dim0, int dim1) -> Tensor(a!)",
                a -> TensorViews.become(
                        tensor(a, 0), TensorViews.transpose(tensor(a, 0), integer(a, 1), integer(a, 2))));
        r.view(
                "aten::swapaxes(Tensor(a) self, int axis0, int axis1) -> Tensor(a)",
                a -> TensorViews.transpose(tensor(a, 0), integer(a, 1), integer(a, 2)),
                "return torch.transpose(src, axis0, axis1)");
        r.view(
                "aten::swapdims(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
                a -> TensorViews.transpose(tensor(a, 0), integer(a, 1), integer(a, 2)),
                "return torch.transpose(src, dim0, dim1)");
        r.view("aten::t(Tensor(a) self) -> Tensor(a)", a -> t(tensor(a, 0)), "return torch.t(src)");
        r.op("aten::t_(Tensor(a!) self) -> Tensor(a!)", a -> TensorViews.become(tensor(a, 0), t(tensor(a, 0))));
        r.composite("aten::numpy_T(Tensor(a) self) -> Tensor(a)", a -> reversed(tensor(a, 0)), """
            order = annotate(List[int], [])
            for i in range(torch.dim(self)):
              _0 = torch.append(order, torch.sub(torch.sub(torch.dim(self), i), 1))
            return torch.permute(self, order)""");
        r.op("aten::mT(Tensor(a) self) -> Tensor(a)", a -> {
            if (tensor(a, 0).rank() == 1) {
                throw new IllegalArgumentException(
                        "tensor.mT is only supported on matrices or batches of matrices. Got 1-D tensor.");
            }
            return tensor(a, 0).rank() == 0 ? tensor(a, 0) : TensorViews.transpose(tensor(a, 0), -2, -1);
        });
        r.composite("aten::numpy_T.a(Tensor(a) self) -> Tensor(a)", "return torch.numpy_T(self)");
        r.composite("aten::mT.a(Tensor(a) self) -> Tensor(a)", "return torch.mT(self)");
        for (String name : new String[] {"movedim", "moveaxis"}) {
            for (String type : new String[] {"int[]", "int"}) {
                String schema = "aten::" + name + (type.equals("int") ? ".int" : ".intlist") + "(Tensor(a) self, "
                        + type + " source, " + type + " destination) -> Tensor(a)";
                OperatorKernel moved = a -> movedim(tensor(a, 0), ints(a, 1), ints(a, 2));
                r.view(
                        schema,
                        new Composite(schema, type.equals("int") ? MOVED_ONE : MOVED, moved),
                        "return torch.movedim(src, destination, source)");
            }
        }
        r.view(
                "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
                a -> TensorViews.unsqueeze(tensor(a, 0), integer(a, 1)),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)",
                a -> TensorViews.become(tensor(a, 0), TensorViews.unsqueeze(tensor(a, 0), integer(a, 1))));
        r.view(
                "aten::squeeze(Tensor(a) self) -> Tensor(a)",
                a -> TensorViews.squeeze(tensor(a, 0)),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.KEEPS_INTEGERS);
        r.view(
                "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
                a -> TensorViews.squeeze(tensor(a, 0), integer(a, 1)),
                RESHAPED,
                OperatorTrait.KEEPS_ORDER,
                OperatorTrait.KEEPS_INTEGERS);
        String several = "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)";
        String oneByOne = """
            result = self
            rank = torch.dim(self)
            for i in range(rank):
              own = torch.sub(i, rank)
              if torch.__contains__(dim, own):
                result = torch.squeeze(result, own)
              else:
                if torch.__contains__(dim, i):
                  result = torch.squeeze(result, own)
            return result""";
        r.view(
                several,
                new Composite(several, oneByOne, a -> TensorViews.squeeze(tensor(a, 0), integers(a, 1))),
                RESHAPED,
                OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::squeeze_(Tensor(a!) self) -> Tensor(a!)",
                a -> TensorViews.become(tensor(a, 0), TensorViews.squeeze(tensor(a, 0))));
        r.op(
                "aten::squeeze_.dims(Tensor(a!) self, int[] dim) -> Tensor(a!)",
                a -> TensorViews.become(tensor(a, 0), TensorViews.squeeze(tensor(a, 0), integers(a, 1))));
        r.op(
                "aten::squeeze_.dim(Tensor(a!) self, int dim) -> Tensor(a!)",
                a -> TensorViews.become(tensor(a, 0), TensorViews.squeeze(tensor(a, 0), integer(a, 1))));
        r.view(
                "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
                a -> expand(tensor(a, 0), integers(a, 1)),
                null);
        r.view(
                "aten::expand_as(Tensor(a) self, Tensor other) -> Tensor(a)",
                a -> BroadcastShapes.expand(tensor(a, 0), tensor(a, 1).sizes()),
                null);
        all.view(
                "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, "
                        + "SymInt? storage_offset=None) -> Tensor(a)",
                a -> {
                    Tensor t = tensor(a, 0);
                    Long offset = integerOrNull(a, 3);
                    return t.asStrided(ints(a, 1), ints(a, 2), offset == null ? t.offset() : Math.toIntExact(offset));
                },
                null,
                OperatorTrait.READS_MEMORY,
                OperatorTrait.NEEDS_ELEMENTS);
        r.view(
                "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
                a -> diagonal(tensor(a, 0), int32(a, 1), integer(a, 2), integer(a, 3)),
                "return torch.diagonal_scatter(self, src, offset, dim1, dim2)");
        r.view(
                "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
                a -> unfold(tensor(a, 0), integer(a, 1), int32(a, 2), int32(a, 3)),
                null,
                OperatorTrait.NEEDS_ELEMENTS);
        r.view("aten::detach(Tensor(a) self) -> Tensor(a)", a -> alias(tensor(a, 0)), "return src");
        r.op("aten::detach_(Tensor(a!) self) -> Tensor(a!)", a -> tensor(a, 0).requiresGrad(false));
        r.view("aten::alias(Tensor(a) self) -> Tensor(a)", a -> alias(tensor(a, 0)), "return src");
        r.op(
                "aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)",
                a -> {
                    MemoryFormat format = MemoryFormat.ofCode(integer(a, 1));
                    return ImageCopies.contiguous(tensor(a, 0), format);
                },
                OperatorTrait.KEEPS_SHAPE,
                OperatorTrait.SAME_PLACES,
                OperatorTrait.KEEPS_INTEGERS);
    }

    private static Tensor alias(Tensor t) {
        return t.asStrided(t.sizes(), t.strides(), t.offset());
    }

    private static Tensor t(Tensor t) {
        if (t.rank() > 2) {
            throw new IllegalArgumentException(
                    "t() expects a tensor with <= 2 dimensions, but self is " + t.rank() + "D");
        }
        return reversed(t);
    }

    private static Tensor reversed(Tensor t) {
        int[] order = new int[t.rank()];
        Arrays.setAll(order, i -> t.rank() - 1 - i);
        return t.permute(order);
    }

    private static Tensor unflatten(Tensor t, long dim, long[] sizes) {
        int d = Shape.wrap(dim, t.rank());
        long[] all = new long[t.rank() - 1 + sizes.length];
        long[] part = TensorViews.inferred(sizes, t.sizes()[d]);
        for (int i = 0; i < all.length; i++) {
            all[i] = i < d ? t.sizes()[i] : i < d + part.length ? part[i - d] : t.sizes()[i - part.length + 1];
        }
        return TensorViews.view(t, all);
    }

    private static Tensor movedim(Tensor t, int[] from, int[] to) {
        if (from.length != to.length) {
            throw new IllegalArgumentException(
                    "movedim: " + from.length + " sources, " + to.length + " destinations (expected: as many)");
        }
        if (t.rank() == 0) {
            ReducedRows.reduced(0, Arrays.stream(from).asLongStream().toArray());
            ReducedRows.reduced(0, Arrays.stream(to).asLongStream().toArray());
            return t;
        }
        int[] order = new int[t.rank()];
        Arrays.fill(order, -1);
        boolean[] taken = new boolean[t.rank()];
        for (int i = 0; i < from.length; i++) {
            int source = Shape.wrap(from[i], t.rank());
            order[Shape.wrap(to[i], t.rank())] = source;
            taken[source] = true;
        }
        int next = 0;
        for (int i = 0; i < order.length; i++) {
            if (order[i] < 0) {
                while (taken[next]) {
                    next++;
                }
                order[i] = next++;
            }
        }
        return t.permute(order);
    }

    /** A size of -1 keeps the dimension. */
    private static Tensor expand(Tensor t, long[] sizes) {
        int lead = sizes.length - t.rank();
        int[] wanted = Shape.toInts(sizes);
        for (int d = 0; d < wanted.length; d++) {
            if (wanted[d] == -1) {
                if (d < lead) {
                    throw new IllegalArgumentException(
                            "The expanded size of the tensor (-1) isn't allowed in a leading, "
                                    + "non-existing dimension " + d);
                }
                wanted[d] = t.sizes()[d - lead];
            }
        }
        return BroadcastShapes.expand(t, wanted);
    }

    static Tensor diagonal(Tensor t, int offset, long first, long second) {
        int d1 = Shape.wrap(first, t.rank());
        int d2 = Shape.wrap(second, t.rank());
        if (d1 == d2) {
            throw new IllegalArgumentException("diagonal dimensions cannot be identical " + first + ", " + second);
        }
        int rows = t.sizes()[d1];
        int columns = t.sizes()[d2];
        int length = Math.max(offset >= 0 ? Math.min(rows, columns - offset) : Math.min(rows + offset, columns), 0);
        int at = t.offset();
        if (length > 0) {
            at += offset >= 0 ? offset * t.strides()[d2] : -offset * t.strides()[d1];
        }
        int[] sizes = new int[t.rank() - 1];
        int[] strides = new int[t.rank() - 1];
        int k = 0;
        for (int d = 0; d < t.rank(); d++) {
            if (d != d1 && d != d2) {
                sizes[k] = t.sizes()[d];
                strides[k++] = t.strides()[d];
            }
        }
        sizes[k] = length;
        strides[k] = t.strides()[d1] + t.strides()[d2];
        return t.asStrided(sizes, strides, at);
    }

    private static Tensor unfold(Tensor t, long dim, int size, int step) {
        int d = Shape.wrap(dim, t.rank());
        int extent = t.rank() == 0 ? 1 : t.sizes()[d];
        if (step <= 0 || size < 0 || size > extent) {
            throw new IllegalArgumentException(
                    "unfold: size " + size + " step " + step + " (expected: size within 0.." + extent + ", step > 0)");
        }
        int[] sizes = Arrays.copyOf(t.sizes(), t.rank() + 1);
        int[] strides = Arrays.copyOf(t.strides(), t.rank() + 1);
        sizes[t.rank()] = size;
        strides[t.rank()] = t.rank() == 0 ? 1 : t.strides()[d];
        if (t.rank() > 0) {
            sizes[d] = (extent - size) / step + 1;
            strides[d] = t.strides()[d] * step;
        }
        return t.asStrided(sizes, strides, t.offset());
    }
}
