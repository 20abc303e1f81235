package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.integerOrNull;
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

/**
 * Sparse tensors in compressed rows or columns (CSR, CSC), of single elements or of blocks (BSR, BSC). They are held
 * dense, as those of coordinates are ({@link SparseForms}): indices that are asked for are those of elements that are
 * not zero, as int64.
 */
public final class CompressedForms implements OperatorFamily {
    /** PyTorch's numbers of layouts. */
    private static final int CSR = 2;

    private static final int CSC = 4;
    private static final int BSR = 5;
    private static final int BSC = 6;
    private static final String OPTIONS =
            "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
    /**
     * Values added up at their places. The line of the value at place k is told by how many lines begin at k or before,
     * so that sizes follow from sizes.
     */
    private static final String ADDED = """
        if torch.__is__(dtype, None):
          given = values
        else:
          given = torch.to(values, unchecked_cast(int, dtype))
        if torch.__is__(layout, None):
          order = 2
        else:
          order = unchecked_cast(int, layout)
        batch = torch.sub(torch.dim(compressed_indices), 1)
        high = 1
        wide = 1
        if torch.ge(order, 5):
          high = torch.size(values, torch.add(batch, 1))
          wide = torch.size(values, torch.add(batch, 2))
        count = torch.size(plain_indices, -1)
        ends = torch.size(compressed_indices, -1)
        batches = torch.floordiv(torch.numel(compressed_indices), ends)
        places = torch.expand(torch.arange(count, dtype=ops.prim.dtype(compressed_indices)), [batches, count])
        begins = torch.reshape(compressed_indices, [batches, ends])
        lines = torch.sub(torch.searchsorted(begins, places, right=True), 1)
        across = torch.reshape(plain_indices, [batches, count])
        rows = lines
        columns = across
        if torch.eq(torch.remainder(order, 2), 0):
          if torch.ge(order, 4):
            rows = across
            columns = lines
        height = torch.floordiv(size[batch], high)
        width = torch.floordiv(size[torch.add(batch, 1)], wide)
        first = torch.reshape(torch.mul(torch.arange(batches), height), [batches, 1])
        flat = torch.add(torch.mul(torch.add(first, rows), width), columns)
        rest = torch.slice(size, torch.add(batch, 2))
        block = torch.add([high, wide], rest)
        all = torch.mul(torch.mul(batches, height), width)
        zeros = torch.zeros(torch.add([all], block), dtype=ops.prim.dtype(given))
        total = torch.mul(batches, count)
        sums = torch.index_add(zeros, 0, torch.reshape(flat, [total]), torch.reshape(given, torch.add([total], block)))
        grid = torch.reshape(sums, torch.add([batches, height, width], block))
        return torch.reshape(torch.transpose(grid, 2, 3), size)""";

    @Override
    public void register(Registrar r) {
        String indices = "(Tensor compressed_indices, Tensor plain_indices, Tensor values, ";
        for (String name :
                new String[] {"sparse_compressed_tensor.comp_plain_value_size", "_sparse_compressed_tensor_unsafe"}) {
            r.composite(
                    "aten::" + name + indices + "int[] size, " + OPTIONS + ") -> Tensor",
                    a -> dense(a, ints(a, 3), 4, null),
                    ADDED);
        }
        r.op(
                "aten::sparse_compressed_tensor.comp_plain_value" + indices + OPTIONS + ") -> Tensor",
                a -> dense(a, null, 3, null));
        forms(r, "csr", CSR, "crow", "col");
        forms(r, "csc", CSC, "ccol", "row");
        forms(r, "bsr", BSR, "crow", "col");
        forms(r, "bsc", BSC, "ccol", "row");

        r.composite("aten::crow_indices(Tensor(a) self) -> Tensor(a)", """
            counts = torch.sum(torch.ne(self, 0), [-1])
            ends = torch.cumsum(counts, -1)
            return torch.constant_pad_nd(ends, [1, 0], 0)""");
        r.composite("aten::col_indices(Tensor(a) self) -> Tensor(a)", """
            batch = torch.slice(torch.size(self), 0, -2)
            batches = 1
            for i in range(torch.len(batch)):
              batches = torch.mul(batches, batch[i])
            columns = torch.select(torch.nonzero(self), 1, -1)
            each = torch.floordiv(torch.numel(columns), ops.prim.max(batches, 1))
            return torch.reshape(columns, torch.add(batch, [each]))""");
        r.composite(
                "aten::ccol_indices(Tensor(a) self) -> Tensor(a)",
                "return torch.crow_indices(torch.transpose(self, -2, -1))");
        r.composite(
                "aten::row_indices(Tensor(a) self) -> Tensor(a)",
                "return torch.col_indices(torch.transpose(self, -2, -1))");

        r.composite(
                "aten::sparse_sampled_addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) "
                        + "-> Tensor",
                """
            product = torch.mul(torch.matmul(mat1, mat2), alpha)
            sampled = torch.where(torch.ne(self, 0), product, torch.zeros_like(product))
            return torch.add(sampled, torch.mul(self, beta))""");
        r.composite("aten::_sparse_sparse_matmul(Tensor self, Tensor other) -> Tensor", "return torch.mm(self, other)");
        String over = "(Tensor self, int[1] dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor";
        r.composite("aten::_sparse_csr_sum.dim_dtype" + over, "return torch.sum(self, dim, keepdim, dtype=dtype)");
    }

    /** The constructors and the conversion to one layout. */
    private static void forms(Registrar r, String layout, int number, String compressed, String plain) {
        String indices = "(Tensor " + compressed + "_indices, Tensor " + plain + "_indices, Tensor values, ";
        String overload = "sparse_" + layout + "_tensor." + compressed + "_" + plain + "_value";
        for (String name : new String[] {overload + "_size", "_sparse_" + layout + "_tensor_unsafe"}) {
            r.composite(
                    "aten::" + name + indices + "int[] size, " + OPTIONS + ") -> Tensor",
                    a -> dense(a, ints(a, 3), 4, number),
                    "return torch._sparse_compressed_tensor_unsafe(" + compressed + "_indices, " + plain
                            + "_indices, values, size, dtype=dtype, layout=" + number + ")");
        }
        r.op("aten::" + overload + indices + OPTIONS + ") -> Tensor", a -> dense(a, null, 3, number));
        String blocks = number >= BSR ? "int[2] blocksize, " : "";
        for (String name : new String[] {"to_sparse_" + layout, "_to_sparse_" + layout}) {
            r.composite(
                    "aten::" + name + "(Tensor self, " + blocks + "int? dense_dim=None) -> Tensor",
                    a -> tensor(a, 0).copy(MemoryFormat.CONTIGUOUS),
                    "return torch.clone(self)");
        }
    }

    /**
     * @param a indices of lines, indices within them, values, and from {@code options} on the type and the layout
     * @param size of the result, or null for the smallest that holds all values
     * @param layout its number, or null to take that of the arguments
     */
    private static Tensor dense(Object[] a, int[] size, int options, Integer layout) {
        Long named = integerOrNull(a, options + 1);
        int order = layout != null ? layout : named != null ? Math.toIntExact(named) : CSR;
        if (order != CSR && order != CSC && order != BSR && order != BSC) {
            throw new IllegalArgumentException("sparse_compressed_tensor: layout " + order
                    + " (expected: 2, 4, 5 or 6, which are CSR, CSC, BSR and BSC)");
        }
        Tensor values =
                Elements.cast(tensor(a, 2), dtypeOr(a, options, tensor(a, 2).dtype()));
        return dense(tensor(a, 0), tensor(a, 1), values, size, order);
    }

    /**
     * @param compressed [batch..., lines + 1] where each line begins, and where the last ends
     * @param plain [batch..., count] the place of each value in its line
     * @param values [batch..., count, block height and width if there are blocks, dense dimensions...]
     */
    private static Tensor dense(Tensor compressed, Tensor plain, Tensor values, int[] size, int layout) {
        int batch = compressed.rank() - 1;
        int block = layout >= BSR ? 2 : 0;
        boolean fits = batch >= 0
                && plain.rank() == batch + 1
                && values.rank() >= batch + 1 + block
                && compressed.size(batch) >= 1;
        for (int d = 0; d <= batch && fits; d++) {
            fits = values.size(d) == plain.size(d) && (d == batch || compressed.size(d) == plain.size(d));
        }
        if (!fits || !isIndex(compressed) || !isIndex(plain)) {
            throw new IllegalArgumentException(
                    "sparse_compressed_tensor: indices " + compressed + " and " + plain + ", values " + values
                            + " (expected: int32 or int64 [batch..., lines + 1] and [batch..., count], and "
                            + "[batch..., count, "
                            + (block > 0 ? "height, width, " : "")
                            + "dense dimensions...])");
        }
        int lines = compressed.size(batch) - 1;
        int count = plain.size(batch);
        int high = block > 0 ? values.size(batch + 1) : 1;
        int wide = block > 0 ? values.size(batch + 2) : 1;
        boolean byColumn = layout == CSC || layout == BSC;
        long[] begins = Elements.longs(compressed);
        long[] across = Elements.longs(plain);
        int places = size == null ? Math.toIntExact(Arrays.stream(across).max().orElse(-1) + 1) : 0;
        int[] dense = Arrays.copyOfRange(values.sizes(), batch + 1 + block, values.rank());
        int[] sizes = size != null
                ? size
                : sizes(
                        compressed,
                        batch,
                        (byColumn ? places : lines) * high,
                        (byColumn ? lines : places) * wide,
                        dense);
        if (sizes.length != batch + 2 + dense.length
                || sizes[batch] % Math.max(1, high) != 0
                || sizes[batch + 1] % Math.max(1, wide) != 0
                || (byColumn ? sizes[batch + 1] : sizes[batch]) != lines * (byColumn ? wide : high)) {
            throw new IllegalArgumentException("sparse_compressed_tensor: size " + Arrays.toString(sizes)
                    + " (expected: " + (batch + 2 + dense.length) + " sizes, " + lines + " lines of blocks of " + high
                    + " by " + wide + ")");
        }
        Tensor out = Tensor.zeros(values.dtype(), sizes);
        int[] strides = out.strides();
        int within = byColumn ? sizes[batch] / Math.max(1, high) : sizes[batch + 1] / Math.max(1, wide);
        int[] blockSizes = sizes(null, 0, high, wide, dense);
        int[] blockStrides = Arrays.copyOfRange(strides, batch, strides.length);
        int matrix = Arrays.stream(sizes, batch, sizes.length).reduce(1, Math::multiplyExact);
        Tensor rows = TensorViews.reshape(values, sizes(null, 0, begins.length / (lines + 1) * count, 1, blockSizes));
        for (int b = 0; b < begins.length / (lines + 1); b++) {
            requireLines(Arrays.copyOfRange(begins, b * (lines + 1), (b + 1) * (lines + 1)), count, within);
            for (int line = 0; line < lines; line++) {
                for (int k = (int) begins[b * (lines + 1) + line]; k < begins[b * (lines + 1) + line + 1]; k++) {
                    long place = across[b * count + k];
                    if (place < 0 || place >= within) {
                        throw new IllegalArgumentException("sparse_compressed_tensor: index " + place
                                + " (expected: within " + within + " a line)");
                    }
                    int row = byColumn ? (int) place : line;
                    int column = byColumn ? line : (int) place;
                    int offset = b * matrix + row * high * strides[batch] + column * wide * strides[batch + 1];
                    Tensor target = out.asStrided(blockSizes, blockStrides, offset);
                    Tensors.copyInto(
                            target,
                            BinaryOps.add(
                                    target, TensorViews.select(TensorViews.select(rows, 0, b * count + k), 0, 0), 1L));
                }
            }
        }
        return out;
    }

    private static boolean isIndex(Tensor t) {
        return t.dtype() == DType.INT32 || t.dtype() == DType.INT64;
    }

    private static int[] sizes(Tensor batches, int batch, int height, int width, int[] rest) {
        int[] sizes = new int[batch + 2 + rest.length];
        for (int d = 0; d < batch; d++) {
            sizes[d] = batches.size(d);
        }
        sizes[batch] = height;
        sizes[batch + 1] = width;
        System.arraycopy(rest, 0, sizes, batch + 2, rest.length);
        return sizes;
    }

    /** @param within how many values a line has room for */
    private static void requireLines(long[] begins, int count, int within) {
        boolean rise = begins[0] == 0 && begins[begins.length - 1] == count;
        for (int i = 1; i < begins.length; i++) {
            rise &= begins[i] >= begins[i - 1] && begins[i] - begins[i - 1] <= within;
        }
        if (!rise) {
            throw new IllegalArgumentException("sparse_compressed_tensor: lines begin at " + Arrays.toString(begins)
                    + " (expected: from 0 to the " + count + " values, with 0 to " + within + " a line)");
        }
    }
}
