package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.integers;
import static org.torchnnapi.operators.support.Args.list;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/** Joining tensors, and taking them apart into views. */
public final class ConcatenationOperators implements OperatorFamily {
    /** How the operators that split along the first, second and third dimension begin. */
    private static final List<String> AXES = List.of("v", "h", "d");
    /** Of a view of few dimensions, with its sizes and strides. */
    private static final long VIEW_BYTES = 96;

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.LINEAR);
        Registrar parts = r.with(OperatorTrait.DIVIDES);
        Registrar quantized = parts.with(OperatorTrait.KEEPS_INTEGERS);
        r.op(
                "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
                a -> cat(tensors(a, 0), integer(a, 1)),
                OperatorTrait.JOINS);
        r.composite(
                "aten::concat(Tensor[] tensors, int dim=0) -> Tensor",
                a -> cat(tensors(a, 0), integer(a, 1)),
                "return torch.cat(tensors, dim)",
                OperatorTrait.JOINS);
        r.composite(
                "aten::stack(Tensor[] tensors, int dim=0) -> Tensor", a -> stack(tensors(a, 0), integer(a, 1)), """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(parts, torch.unsqueeze(tensors[i], dim))
            return torch.cat(parts, dim)""");
        r.composite(
                "aten::hstack(Tensor[] tensors) -> Tensor",
                a -> cat(
                        tensors(a, 0).stream()
                                .map(t -> t.rank() == 0 ? TensorViews.unsqueeze(t, 0) : t)
                                .collect(Streams.toList()),
                        tensors(a, 0).get(0).rank() <= 1 ? 0 : 1),
                """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(parts, torch.atleast_1d(tensors[i]))
            return torch.cat(parts, ops.prim.min(torch.sub(torch.dim(parts[0]), 1), 1))""");
        r.composite(
                "aten::vstack(Tensor[] tensors) -> Tensor",
                a -> cat(
                        tensors(a, 0).stream()
                                .map(t -> t.rank() < 2 ? TensorViews.reshape(t, 1, (int) t.numel()) : t)
                                .collect(Streams.toList()),
                        0),
                """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(parts, torch.atleast_2d(tensors[i]))
            return torch.cat(parts, 0)""");
        for (String name : new String[] {"split", "unsafe_split"}) {
            (name.equals("split") ? quantized : parts)
                    .views(
                            "aten::" + name + ".Tensor(Tensor(a -> *) self, int split_size, int dim=0) -> Tensor(a)[]",
                            a -> split(tensor(a, 0), int32(a, 1), integer(a, 2)),
                            """
            return torch.slice(self, dim, torch.mul(number, split_size), \
            torch.mul(torch.add(number, 1), split_size))""");
        }
        quantized.views(
                "aten::split.sizes(Tensor(a -> *) self, int[] split_size, int dim=0) -> Tensor(a)[]",
                a -> splitSizes(tensor(a, 0), integers(a, 1), integer(a, 2)),
                partOf("split_size"));
        quantized.views(
                "aten::split_with_sizes(Tensor(a -> *) self, int[] split_sizes, int dim=0) -> Tensor(a)[]",
                a -> splitSizes(tensor(a, 0), integers(a, 1), integer(a, 2)),
                partOf("split_sizes"));
        parts.op(
                "aten::unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
                a -> splitSizes(tensor(a, 0), integers(a, 1), integer(a, 2)));
        quantized.views(
                "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
                a -> chunk(tensor(a, 0), integer(a, 1), integer(a, 2)),
                """
            size = torch.floordiv(torch.sub(torch.add(torch.size(self, dim), chunks), 1), chunks)
            return torch.slice(self, dim, torch.mul(number, size), torch.mul(torch.add(number, 1), size))""");
        parts.op(
                "aten::unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]",
                a -> chunk(tensor(a, 0), integer(a, 1), integer(a, 2)));
        parts.op(
                "aten::tensor_split.sections(Tensor(a -> *) self, int sections, int dim=0) -> Tensor(a)[]",
                a -> sections(tensor(a, 0), integer(a, 1), integer(a, 2)));
        parts.op(
                "aten::tensor_split.indices(Tensor(a -> *) self, int[] indices, int dim=0) -> Tensor(a)[]",
                a -> splitAt(tensor(a, 0), integers(a, 1), integer(a, 2)));
        parts.op(
                "aten::tensor_split.tensor_indices_or_sections(Tensor(a -> *) self, Tensor "
                        + "tensor_indices_or_sections, int dim=0) -> Tensor(a)[]",
                a -> tensor(a, 1).rank() == 0
                        ? sections(tensor(a, 0), tensor(a, 1).getLong(0), integer(a, 2))
                        : splitAt(tensor(a, 0), Elements.longs(tensor(a, 1)), integer(a, 2)));
        for (int n = 0; n < AXES.size(); n++) {
            int least = n + 1;
            String name = AXES.get(n) + "split";
            r.op(
                    "aten::" + name + ".int(Tensor(a -> *) self, int sections) -> Tensor(a)[]",
                    a -> evenSections(name, tensor(a, 0), integer(a, 1), least));
            r.op(
                    "aten::" + name + ".array(Tensor(a -> *) self, int[] indices) -> Tensor(a)[]",
                    a -> splitAt(tensor(a, 0), integers(a, 1), axis(name, tensor(a, 0), least)));
        }
        for (int n = 1; n <= 3; n++) {
            int rank = n;
            r.composite(
                    "aten::atleast_" + n + "d(Tensor self) -> Tensor",
                    a -> atLeast(tensor(a, 0), rank),
                    String.format("""
                result = torch.alias(self)
                for i in range(torch.sub(%d, torch.dim(self))):
                  if torch.eq(torch.dim(result), 1):
                    result = torch.unsqueeze(result, 0)
                  else:
                    result = torch.unsqueeze(result, torch.dim(result))
                return result""", n),
                    OperatorTrait.SHARES);
            r.op(
                    "aten::atleast_" + n + "d.Sequence(Tensor[] tensors) -> Tensor[]",
                    a -> list(tensors(a, 0).stream().map(t -> atLeast(t, rank)).collect(Streams.toList())),
                    OperatorTrait.SHARES);
        }
        r.composite(
                "aten::dstack(Tensor[] tensors) -> Tensor",
                a -> cat(tensors(a, 0).stream().map(t -> atLeast(t, 3)).collect(Streams.toList()), 2),
                """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              _0 = torch.append(parts, torch.atleast_3d(tensors[i]))
            return torch.cat(parts, 2)""");
        r.composite(
                "aten::column_stack(Tensor[] tensors) -> Tensor",
                a -> cat(
                        tensors(a, 0).stream()
                                .map(t -> t.rank() < 2 ? TensorViews.reshape(t, t.numel(), 1L) : t)
                                .collect(Streams.toList()),
                        1),
                """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              part = tensors[i]
              if torch.lt(torch.dim(part), 2):
                _0 = torch.append(parts, torch.reshape(part, [torch.numel(part), 1]))
              else:
                _1 = torch.append(parts, part)
            return torch.cat(parts, 1)""");
        parts.views(
                "aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]",
                a -> unbind(tensor(a, 0), integer(a, 1)),
                "return torch.select(self, dim, number)");
    }

    static Tensor cat(List<Tensor> given, long dim) {
        if (given.isEmpty()) {
            throw new IllegalArgumentException("torch.cat(): expected a non-empty list of Tensors");
        }
        // An empty vector joins anything.
        List<Tensor> parts = given.stream()
                .filter(t -> !(t.rank() == 1 && t.sizes()[0] == 0))
                .collect(Streams.toList());
        Tensor first = parts.isEmpty() ? given.get(0) : parts.get(0);
        DType type = first.dtype();
        for (Tensor t : given) {
            type = type.isQuantized() ? type : Promotion.merge(type, t.dtype());
        }
        if (parts.isEmpty()) {
            return Tensors.empty(type, 0);
        }
        if (first.rank() == 0) {
            throw new IllegalArgumentException("zero-dimensional tensor (at position 0) cannot be concatenated");
        }
        int d = Shape.wrap(dim, first.rank());
        int[] sizes = first.sizes().clone();
        long total = 0;
        for (Tensor t : parts) {
            requireFit(t.sizes(), sizes, d, given.indexOf(t));
            total += t.sizes()[d];
        }
        sizes[d] = Math.toIntExact(total);
        Quantization quantization = first.quantization();
        MemoryFormat format = MemoryOrder.suggested(first);
        for (Tensor t : parts) {
            format = MemoryOrder.suggested(t) == format ? format : MemoryFormat.CONTIGUOUS;
        }
        Tensor out = Tensors.strided(type, sizes, Shape.strides(format, sizes), quantization);
        int at = 0;
        for (Tensor t : parts) {
            Tensor slot = TensorViews.narrow(out, d, at, t.sizes()[d]);
            Tensor source = type.isQuantized() && !t.quantization().equals(quantization)
                    ? QuantizedMath.quantize(QuantizedMath.dequantize(t), quantization, type)
                    : Elements.cast(t, type);
            slot.copyFrom(source);
            at += t.sizes()[d];
        }
        return out;
    }

    private static void requireFit(int[] own, int[] first, int dim, int number) {
        if (own.length != first.length) {
            throw new IllegalArgumentException(
                    "Tensors must have same number of dimensions: got " + first.length + " and " + own.length);
        }
        for (int d = 0; d < own.length; d++) {
            if (d != dim && own[d] != first[d]) {
                throw new IllegalArgumentException(
                        "Sizes of tensors must match except in dimension " + dim + ". Expected size " + first[d]
                                + " but got size " + own[d] + " for tensor number " + number + " in the list.");
            }
        }
    }

    static Tensor stack(List<Tensor> parts, long dim) {
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("stack expects a non-empty TensorList");
        }
        int d = Shape.wrap(dim, parts.get(0).rank() + 1);
        for (int i = 1; i < parts.size(); i++) {
            if (!Arrays.equals(parts.get(i).sizes(), parts.get(0).sizes())) {
                throw new IllegalArgumentException("stack expects each tensor to be equal size, but got "
                        + Arrays.toString(parts.get(0).sizes()) + " at entry 0 and "
                        + Arrays.toString(parts.get(i).sizes()) + " at entry " + i);
            }
        }
        return cat(parts.stream().map(t -> TensorViews.unsqueeze(t, d)).collect(Streams.toList()), d);
    }

    private static ScriptList split(Tensor t, int size, long dim) {
        int extent = t.size(dim);
        if (size < 0 || size == 0 && extent != 0) {
            throw new IllegalArgumentException("split expects split_size be non-negative, but got split_size=" + size);
        }
        List<Tensor> parts = parts(size == 0 ? 0 : (extent + size - 1L) / size);
        for (long at = 0; at < extent; at += size) {
            parts.add(TensorViews.narrow(t, dim, at, Math.min(size, extent - at)));
        }
        if (parts.isEmpty()) {
            parts.add(t);
        }
        return list(parts);
    }

    /**
     * Room for so many views.
     *
     * @throws org.torchnnapi.tensor.MemoryException if the heap has none
     */
    private static List<Tensor> parts(long count) {
        long most = Long.MAX_VALUE / VIEW_BYTES;
        Tensors.requireRoom(count + " tensors", VIEW_BYTES * Math.min(count, most));
        return new ArrayList<>(Math.toIntExact(count));
    }

    private static ScriptList splitSizes(Tensor t, long[] sizes, long dim) {
        if (Arrays.stream(sizes).sum() != t.size(dim)) {
            throw new IllegalArgumentException("split_with_sizes expects split_sizes to sum exactly to " + t.size(dim)
                    + " (input tensor's size at dimension " + dim + "), but got split_sizes=" + Arrays.toString(sizes));
        }
        List<Tensor> parts = new ArrayList<>();
        long at = 0;
        for (long size : sizes) {
            parts.add(TensorViews.narrow(t, dim, at, size));
            at += size;
        }
        return list(parts);
    }

    static ScriptList chunk(Tensor t, long chunks, long dim) {
        if (chunks <= 0) {
            throw new IllegalArgumentException("chunk expects `chunks` to be greater than 0, got: " + chunks);
        }
        int extent = t.size(dim);
        int size = (int) ((extent + chunks - 1) / chunks);
        if (size == 0) {
            List<Tensor> parts = parts(chunks);
            parts.addAll(Collections.nCopies((int) chunks, t));
            return list(parts);
        }
        return split(t, size, dim);
    }

    private static ScriptList sections(Tensor t, long count, long dim) {
        if (count <= 0) {
            throw new IllegalArgumentException("number of sections must be larger than 0, got " + count);
        }
        int extent = t.size(dim);
        List<Tensor> parts = parts(count);
        long at = 0;
        for (long i = 0; i < count; i++) {
            long size = extent / count + (i < extent % count ? 1 : 0);
            parts.add(TensorViews.narrow(t, dim, at, size));
            at += size;
        }
        return list(parts);
    }

    /** The dimension that one of the splits is along: of a vector, hsplit takes the only one. */
    private static int axis(String name, Tensor t, int least) {
        boolean vector = name.equals("hsplit") && t.rank() == 1;
        if (t.rank() < (name.equals("hsplit") ? 1 : Math.max(least, 2))) {
            throw new IllegalArgumentException("torch." + name + " requires a tensor with at least "
                    + (name.equals("hsplit") ? 1 : Math.max(least, 2)) + " dimension, but got a tensor with " + t.rank()
                    + " dimensions!");
        }
        return vector ? 0 : least - 1;
    }

    private static ScriptList evenSections(String name, Tensor t, long count, int least) {
        int dim = axis(name, t, least);
        if (count < 1 || t.size(dim) % count != 0) {
            throw new IllegalArgumentException(
                    "torch." + name + " attempted to split along dimension " + dim + ", but the size of the dimension "
                            + t.size(dim) + " is not divisible by the split_size " + count + "!");
        }
        return sections(t, count, dim);
    }

    /** With dimensions of 1 around: a vector becomes a row, and the middle of three. */
    private static Tensor atLeast(Tensor t, int rank) {
        Tensor out = t;
        while (out.rank() < rank) {
            out = TensorViews.unsqueeze(out, out.rank() == 1 ? 0 : out.rank());
        }
        return out;
    }

    private static ScriptList splitAt(Tensor t, long[] bounds, long dim) {
        List<Tensor> parts = new ArrayList<>();
        Long from = 0L;
        for (long bound : bounds) {
            parts.add(TensorViews.slice(t, dim, from, bound, 1));
            from = bound;
        }
        parts.add(TensorViews.slice(t, dim, from, null, 1));
        return list(parts);
    }

    /** One of the parts whose sizes an argument lists. */
    private static String partOf(String sizes) {
        return """
            first = 0
            for i in range(number):
              first = torch.add(first, SIZES[i])
            return torch.slice(self, dim, first, torch.add(first, SIZES[number]))""".replace("SIZES", sizes);
    }

    static ScriptList unbind(Tensor t, long dim) {
        int extent = t.rank() == 0 ? 1 : t.size(dim);
        List<Tensor> parts = parts(extent);
        for (int i = 0; i < extent; i++) {
            parts.add(TensorViews.select(t, dim, i));
        }
        return list(parts);
    }
}
