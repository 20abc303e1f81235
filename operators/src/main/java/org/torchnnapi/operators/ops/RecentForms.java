package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Operators that PyTorch 2 added and that are said in older ones: other forms of indexing, making, copying and
 * products.
 */
public final class RecentForms implements OperatorFamily {
    private static final String OPTIONS =
            "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";

    @Override
    public void register(Registrar r) {
        indexing(r);
        making(r);
        products(r);
        copies(r);
    }

    private static void indexing(Registrar r) {
        r.composite(
                "aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
                "return torch.index(self, indices)");
        r.composite(
                "aten::_unsafe_index.Tensor_hacked_twin(Tensor self, Tensor[] indices) -> Tensor",
                "return torch.index(self, indices)");
        String put = "return torch.index_put(self, indices, values, accumulate)";
        r.composite(
                "aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> "
                        + "Tensor",
                put);
        r.composite(
                "aten::_unsafe_index_put.hacked_twin(Tensor self, Tensor[] indices, Tensor values, bool "
                        + "accumulate=False) -> Tensor",
                put);
        // What the mask leaves out may lie outside of the tensor, and is brought inside.
        String inside = """
            inside = annotate(List[Optional[Tensor]], [])
            for i in range(torch.len(indices)):
              given = indices[i]
              if torch.__is__(given, None):
                _0 = torch.append(inside, None)
              else:
                index = unchecked_cast(Tensor, given)
                count = torch.size(self, i)
                _1 = torch.append(inside, torch.clamp(index, torch.neg(count), torch.sub(count, 1)))
            """;
        r.composite(
                "aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor",
                inside + "return torch.masked_fill(torch.index(self, inside), torch.logical_not(mask), fill)");
        r.composite(
                "aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor "
                        + "values) -> Tensor",
                inside
                        + "return torch.index_put(self, inside, torch.masked_fill(values, torch.logical_not(mask), "
                        + "0), True)");
        r.composite(
                "aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor",
                """
            found = torch.nonzero(self)
            count = ops.prim.min(torch.size(found, 0), size)
            places = torch.full([size, torch.dim(self)], fill_value, dtype=4)
            _0 = torch.copy_(torch.slice(places, 0, 0, count), torch.slice(found, 0, 0, count))
            return places""",
                OperatorTrait.DATA_DEPENDENT);
        r.composite("aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", """
            parts = annotate(List[Tensor], [])
            for i in range(torch.len(tensors)):
              part = tensors[i]
              long = torch.size(part, dim)
              each = torch.floordiv(torch.sub(torch.add(long, num_chunks), 1), num_chunks)
              missing = torch.sub(torch.mul(each, num_chunks), long)
              pads = torch.add(torch.mul([0], torch.mul(torch.sub(torch.sub(torch.dim(part), dim), 1), 2)), [0, \
            missing])
              padded = torch.constant_pad_nd(part, pads, 0)
              lead = torch.slice(torch.size(part), 0, dim, 1)
              _0 = torch.append(parts, torch.reshape(padded, torch.add(lead, [num_chunks, -1])))
            return torch.cat(parts, torch.add(dim, 1))""");
    }

    private static void making(Registrar r) {
        for (String name : new String[] {"linspace", "logspace"}) {
            String base = name.equals("logspace") ? ", float base=10." : "";
            String call =
                    "return torch." + name + "(%s, %s, steps" + (base.isEmpty() ? "" : ", base") + ", dtype=dtype)";
            r.composite(
                    "aten::" + name + ".Tensor_Tensor(Tensor start, Tensor end, int steps" + base + ", " + OPTIONS
                            + ") -> Tensor",
                    String.format(call, "torch.item(start)", "torch.item(end)"));
            r.composite(
                    "aten::" + name + ".Tensor_Scalar(Tensor start, Scalar end, int steps" + base + ", " + OPTIONS
                            + ") -> Tensor",
                    String.format(call, "torch.item(start)", "end"));
            r.composite(
                    "aten::" + name + ".Scalar_Tensor(Scalar start, Tensor end, int steps" + base + ", " + OPTIONS
                            + ") -> Tensor",
                    String.format(call, "start", "torch.item(end)"));
        }
        r.composite("aten::empty_permuted(SymInt[] size, int[] physical_layout, " + OPTIONS + ") -> Tensor", """
            sizes = annotate(List[int], [])
            order = torch.mul([0], torch.len(size))
            for i in range(torch.len(physical_layout)):
              _0 = torch.append(sizes, size[physical_layout[i]])
              _1 = torch._set_item(order, physical_layout[i], i)
            return torch.permute(torch.empty(sizes, dtype=dtype), order)""");
    }

    private static void products(Registrar r) {
        r.composite(
                "aten::_convert_indices_from_coo_to_csr(Tensor self, int size, *, bool out_int32=False) -> Tensor",
                """
            rows = torch.arange(torch.add(size, 1), dtype=ops.prim.dtype(self))
            return torch.searchsorted(self, rows, out_int32=out_int32)""");
        r.composite(
                "aten::_convert_indices_from_csr_to_coo(Tensor crow_indices, Tensor col_indices, *, bool "
                        + "out_int32=False, bool transpose=False) -> Tensor",
                """
            if out_int32:
              type = 3
            else:
              type = 4
            counts = torch.to(torch.diff(crow_indices), 4)
            rows = torch.to(torch.repeat_interleave(counts), type)
            columns = torch.to(col_indices, type)
            if transpose:
              places = torch.stack([columns, rows])
            else:
              places = torch.stack([rows, columns])
            return places""");
        r.composite(
                "aten::_int_mm(Tensor self, Tensor mat2) -> Tensor",
                "return torch.mm(torch.to(self, 3), torch.to(mat2, 3))");
        r.composite("aten::_weight_int8pack_mm(Tensor self, Tensor mat2, Tensor scales) -> Tensor", """
            product = torch.matmul(torch.to(self, 6), torch.t(torch.to(mat2, 6)))
            return torch.to(torch.mul(product, torch.to(scales, 6)), ops.prim.dtype(self))""");
        r.composite(
                "aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? "
                        + "out_dtype=None) -> Tensor",
                """
            if torch.__isnot__(bias, None):
              ops.prim.RaiseException("Bias not supported yet.")
            if torch.__is__(offs, None):
              product = torch.bmm(self, mat2)
            else:
              ends = torch.to(unchecked_cast(Tensor, offs), 4)
              parts = annotate(List[Tensor], [])
              start = 0
              for i in range(torch.len(ends)):
                end = int(torch.select(ends, 0, i))
                if torch.eq(torch.dim(self), 3):
                  _0 = torch.append(parts, torch.mm(torch.select(self, 0, i), torch.slice(mat2, 1, start, end)))
                else:
                  if torch.eq(torch.dim(mat2), 3):
                    _1 = torch.append(parts, torch.mm(torch.slice(self, 0, start, end), torch.select(mat2, 0, i)))
                  else:
                    _2 = torch.append(parts, torch.mm(torch.slice(self, 1, start, end), torch.slice(mat2, 0, start, \
            end)))
                start = end
              if torch.eq(torch.dim(self), 3):
                rest = torch.sub(torch.size(mat2, 1), start)
                _3 = torch.append(parts, torch.zeros([torch.size(self, 1), rest], dtype=ops.prim.dtype(self)))
                product = torch.cat(parts, 1)
              else:
                if torch.eq(torch.dim(mat2), 3):
                  rest = torch.sub(torch.size(self, 0), start)
                  _4 = torch.append(parts, torch.zeros([rest, torch.size(mat2, 2)], dtype=ops.prim.dtype(self)))
                  product = torch.cat(parts)
                else:
                  product = torch.stack(parts)
            if torch.__is__(out_dtype, None):
              result = product
            else:
              result = torch.to(product, unchecked_cast(int, out_dtype))
            return result""");
        r.composite(
                "aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
                "return torch.where(torch.gt(self, 0), self, torch.mul(weight, self))");
        r.composite("aten::_linalg_eigvals(Tensor self) -> Tensor", "return torch.linalg_eigvals(self)");
    }

    private static void copies(Registrar r) {
        r.composite("aten::_lazy_clone(Tensor self) -> Tensor", "return torch.clone(self)");
        r.composite(
                "aten::_to_copy(Tensor self, " + OPTIONS
                        + ", bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
                """
            if torch.__is__(dtype, None):
              type = ops.prim.dtype(self)
            else:
              type = unchecked_cast(int, dtype)
            return torch.to(self, type, False, True, memory_format)""");
        r.composite(
                "aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar "
                        + "upper=0.33333333333333331, bool training=False, "
                        + "Generator? generator=None) -> (Tensor, Tensor noise_out)",
                "return (torch.rrelu(self, lower, upper, training, generator), torch.clone(noise))",
                OperatorTrait.TRAINS);
    }
}
