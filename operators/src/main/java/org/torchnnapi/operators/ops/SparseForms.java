package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Sparse tensors, which are held dense here: the layout is not kept, every operator takes them, and what is computed
 * with them is the same. Coordinates and values that are asked for are those of the elements that are not zero.
 */
public final class SparseForms implements OperatorFamily {
    private static final String OPTIONS =
            "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
    /** Values added up at their coordinates, which are counted through as one dimension. */
    private static final String ADDED = """
        if torch.__is__(dtype, None):
          given = values
        else:
          given = torch.to(values, unchecked_cast(int, dtype))
        dimensions = torch.size(indices, 0)
        flat = torch.select(indices, 0, 0)
        count = size[0]
        for more in range(torch.sub(dimensions, 1)):
          d = torch.add(more, 1)
          flat = torch.add(torch.mul(flat, size[d]), torch.select(indices, 0, d))
          count = torch.mul(count, size[d])
        sizes = torch.add([count], torch.slice(size, dimensions))
        sums = torch.index_add(torch.zeros(sizes, dtype=ops.prim.dtype(given)), 0, flat, given)
        return torch.reshape(sums, size)""";

    @Override
    public void register(Registrar r) {
        r.op(
                "aten::sparse_coo_tensor.size(int[] size, *, " + OPTIONS + ") -> Tensor",
                a -> Tensor.zeros(dtypeOr(a, 1, DType.FLOAT32), ints(a, 0)));
        r.op(
                "aten::sparse_coo_tensor.indices(Tensor indices, Tensor values, *, " + OPTIONS + ") -> Tensor",
                a -> scattered(tensor(a, 0), cast(a, 2), null));
        for (String name : new String[] {"sparse_coo_tensor.indices_size", "_sparse_coo_tensor_unsafe"}) {
            r.composite(
                    "aten::" + name + "(Tensor indices, Tensor values, int[] size, *, " + OPTIONS + ") -> Tensor",
                    a -> scattered(tensor(a, 0), cast(a, 3), ints(a, 2)),
                    ADDED);
        }
        for (String name : new String[] {"to_sparse", "_to_sparse"}) {
            r.composite(
                    "aten::" + name
                            + "(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> "
                            + "Tensor",
                    a -> tensor(a, 0).copy(MemoryFormat.CONTIGUOUS),
                    "return torch.clone(self)");
            r.composite(
                    "aten::" + name + ".sparse_dim(Tensor self, int sparse_dim) -> Tensor",
                    a -> tensor(a, 0).copy(MemoryFormat.CONTIGUOUS),
                    "return torch.clone(self)");
        }
        r.composite("aten::coalesce(Tensor(a) self) -> Tensor(a)", a -> tensor(a, 0), "return self");
        r.op("aten::is_coalesced(Tensor self) -> bool", a -> true);
        r.op("aten::sparse_dim(Tensor self) -> int", a -> 0L, OperatorTrait.READS_GEOMETRY);
        r.op("aten::dense_dim(Tensor self) -> int", a -> (long) tensor(a, 0).rank(), OperatorTrait.READS_GEOMETRY);
        r.composite(
                "aten::sparse_resize_and_clear_(Tensor(a!) self, int[] size, int sparse_dim, int dense_dim) -> "
                        + "Tensor(a!)",
                "return torch.zero_(torch.resize_(self, size))");
        r.composite("aten::_sparse_mm(Tensor sparse, Tensor dense) -> Tensor", "return torch.mm(sparse, dense)");
        r.composite("aten::hspmm(Tensor mat1, Tensor mat2) -> Tensor", "return torch.mm(mat1, mat2)");
        String addition = "(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor";
        r.composite("aten::_sparse_addmm" + addition, "return torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)");
        r.composite("aten::sspaddmm" + addition, "return torch.addmm(self, mat1, mat2, beta=beta, alpha=alpha)");
        r.composite("aten::_sparse_sum(Tensor self) -> Tensor", "return torch.sum(self)");
        r.composite(
                "aten::_sparse_sum.dtype(Tensor self, *, ScalarType dtype) -> Tensor",
                "return torch.sum(self, dtype=dtype)");
        r.composite("aten::_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor", "return torch.sum(self, dim)");
        r.composite(
                "aten::_sparse_sum.dim_dtype(Tensor self, int[1] dim, *, ScalarType dtype) -> Tensor",
                "return torch.sum(self, dim, dtype=dtype)");
        for (String kind : new String[] {"softmax", "log_softmax"}) {
            r.composite(
                    "aten::_sparse_" + kind + ".int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
                    String.format("""
                absent = torch.eq(self, 0)
                given = torch.masked_fill(self, absent, float("-inf"))
                return torch.masked_fill(torch.%s(given, dim, dtype), absent, 0)""", kind));
        }
        r.composite(
                "aten::sparse_mask(Tensor self, Tensor mask) -> Tensor", "return torch.mul(self, torch.ne(mask, 0))");
        for (String name : new String[] {"indices", "_indices"}) {
            r.composite("aten::" + name + "(Tensor self) -> Tensor", "return torch.t(torch.nonzero(self))");
        }
        for (String name : new String[] {"values", "_values"}) {
            r.composite(
                    "aten::" + name + "(Tensor self) -> Tensor", "return torch.masked_select(self, torch.ne(self, 0))");
        }
        r.composite("aten::_nnz(Tensor self) -> int", "return int(torch.count_nonzero(self))");
    }

    private static Tensor cast(Object[] a, int dtype) {
        return Elements.cast(tensor(a, 1), dtypeOr(a, dtype, tensor(a, 1).dtype()));
    }

    /**
     * The sum of values at their coordinates.
     *
     * @param indices [dimensions, count]
     * @param values [count, dense dimensions]
     * @param wanted sizes, or null for the smallest that hold all coordinates
     */
    private static Tensor scattered(Tensor indices, Tensor values, int[] wanted) {
        if (indices.rank() != 2 || values.rank() < 1 || values.size(0) != indices.size(1)) {
            throw new IllegalArgumentException("sparse_coo_tensor: indices " + indices + ", values " + values
                    + " (expected: [dimensions, count] and [count, dense dimensions])");
        }
        int dimensions = indices.size(0);
        int count = indices.size(1);
        long[] at = Elements.longs(indices);
        int[] sizes = wanted != null ? wanted : new int[dimensions + values.rank() - 1];
        for (int d = 0; d < sizes.length && wanted == null; d++) {
            sizes[d] = d < dimensions ? smallest(at, d * count, count) : values.size(d - dimensions + 1);
        }
        if (sizes.length != dimensions + values.rank() - 1) {
            throw new IllegalArgumentException("sparse_coo_tensor: " + sizes.length + " sizes (expected: " + dimensions
                    + " of the indices and " + (values.rank() - 1) + " of the values)");
        }
        Tensor out = Tensor.zeros(values.dtype(), sizes);
        for (int i = 0; i < count; i++) {
            int offset = 0;
            for (int d = 0; d < dimensions; d++) {
                long place = at[d * count + i];
                if (place < 0 || place >= sizes[d]) {
                    throw new IllegalArgumentException(
                            "sparse_coo_tensor: index " + place + " (expected: within size " + sizes[d] + ")");
                }
                offset += (int) place * out.strides()[d];
            }
            int[] rest = Arrays.copyOfRange(sizes, dimensions, sizes.length);
            Tensor target = out.asStrided(rest, Arrays.copyOfRange(out.strides(), dimensions, sizes.length), offset);
            Tensors.copyInto(target, BinaryOps.add(target, TensorViews.select(values, 0, i), 1L));
        }
        return out;
    }

    private static int smallest(long[] at, int from, int count) {
        long greatest = -1;
        for (int i = from; i < from + count; i++) {
            greatest = Math.max(greatest, at[i]);
        }
        return Math.toIntExact(greatest + 1);
    }
}
