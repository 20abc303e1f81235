package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Tensors of several put together element by element or block by block. */
public final class Combinations implements OperatorFamily {
    /** Bytes of an array without its elements, and of what refers to it. */
    private static final int ROW_HEAD = 24;

    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::cartesian_prod(Tensor[] tensors) -> Tensor",
                a -> product(tensors(a, 0)),
                """
            if torch.eq(torch.len(tensors), 1):
              result = tensors[0]
            else:
              grids = torch.meshgrid(tensors, indexing="ij")
              columns = annotate(List[Tensor], [])
              for i in range(torch.len(grids)):
                _0 = torch.append(columns, torch.flatten(grids[i]))
              result = torch.stack(columns, 1)
            return result""",
                OperatorTrait.SHARES_ONE);
        r.composite(
                "aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
                a -> choices(tensor(a, 0), int32(a, 1), flag(a, 2)),
                """
            if torch.eq(r, 0):
              result = torch.slice(self, 0, 0, 0)
            else:
              numbers = annotate(List[Tensor], [])
              for i in range(r):
                _0 = torch.append(numbers, torch.arange(torch.size(self, 0)))
              grids = torch.meshgrid(numbers, indexing="ij")
              rising = torch.ge(torch.flatten(grids[0]), 0)
              for k in range(torch.sub(r, 1)):
                if with_replacement:
                  up = torch.le(grids[k], grids[torch.add(k, 1)])
                else:
                  up = torch.lt(grids[k], grids[torch.add(k, 1)])
                rising = torch.logical_and(rising, torch.flatten(up))
              columns = annotate(List[Tensor], [])
              for j in range(r):
                _1 = torch.append(columns, torch.masked_select(torch.flatten(grids[j]), rising))
              places = torch.stack(columns, 1)
              result = torch.reshape(torch.index_select(self, 0, torch.flatten(places)), torch.size(places))
            return result""");
        r.composite("aten::block_diag(Tensor[] tensors) -> Tensor", a -> blocks(tensors(a, 0)), """
            blocks = annotate(List[Tensor], [])
            columns = 0
            for i in range(torch.len(tensors)):
              given = tensors[i]
              if torch.lt(torch.dim(given), 2):
                block = torch.reshape(given, [1, -1])
              else:
                block = given
              _0 = torch.append(blocks, block)
              columns = torch.add(columns, torch.size(block, 1))
            rows = annotate(List[Tensor], [])
            before = 0
            for k in range(torch.len(blocks)):
              block0 = blocks[k]
              after = torch.sub(torch.sub(columns, before), torch.size(block0, 1))
              _1 = torch.append(rows, torch.constant_pad_nd(block0, [before, after], 0))
              before = torch.add(before, torch.size(block0, 1))
            return torch.cat(rows, 0)""");
    }

    /** One row for each choice of an element of each vector; of a single vector, that vector. */
    private static Tensor product(List<Tensor> vectors) {
        if (vectors.stream().anyMatch(t -> t.rank() != 1)) {
            throw new IllegalArgumentException("Expect a 1D vector, but got shape "
                    + Arrays.toString(vectors.stream()
                            .filter(t -> t.rank() != 1)
                            .findFirst()
                            .get()
                            .sizes()));
        }
        List<Tensor> columns = TensorTransformations.meshgrid(vectors, "ij").items().stream()
                .map(t -> TensorViews.reshape((Tensor) t, -1L))
                .collect(Streams.toList());
        return vectors.size() == 1 ? vectors.get(0) : ConcatenationOperators.stack(columns, 1);
    }

    private static Tensor choices(Tensor t, int count, boolean repeats) {
        if (t.rank() != 1 || count < 0) {
            throw new IllegalArgumentException(
                    t.rank() != 1
                            ? "Expect a 1D vector, but got shape " + Arrays.toString(t.sizes())
                            : "Expect a non-negative number, but got " + count);
        }
        if (count == 0) {
            return Tensors.empty(t.dtype(), 0);
        }
        int size = t.sizes()[0];
        double number = 1;
        for (int i = 0; i < count; i++) {
            number *= (repeats ? size + i : Math.max(size - i, 0)) / (i + 1.0);
        }
        Tensors.requireRoom(number + " combinations of " + count + " of " + size + " elements", (long)
                (number * (ROW_HEAD + (double) count * Integer.BYTES)));
        List<int[]> rows = new ArrayList<>();
        choose(size, new int[count], 0, repeats, rows);
        long[] order = new long[rows.size() * count];
        for (int i = 0; i < order.length; i++) {
            order[i] = rows.get(i / count)[i % count];
        }
        return TensorViews.reshape(
                TensorAdvancedIndexing.take(t, 0, Tensor.of(order, order.length)), rows.size(), count);
    }

    private static void choose(int size, int[] row, int at, boolean repeats, List<int[]> rows) {
        if (at == row.length) {
            rows.add(row.clone());
            return;
        }
        for (int i = at == 0 ? 0 : row[at - 1] + (repeats ? 0 : 1); i < size; i++) {
            row[at] = i;
            choose(size, row, at + 1, repeats, rows);
        }
    }

    private static Tensor blocks(List<Tensor> given) {
        List<Tensor> parts = given.stream()
                .map(t -> t.rank() < 2 ? TensorViews.reshape(t, 1L, t.numel()) : t)
                .collect(Streams.toList());
        DType type = parts.isEmpty() ? DType.FLOAT32 : Promotion.of(given.toArray());
        int rows = 0;
        int columns = 0;
        for (Tensor t : parts) {
            if (t.rank() > 2) {
                throw new IllegalArgumentException(
                        "torch.block_diag: Input tensors must have 2 or fewer dimensions. Got " + t.rank());
            }
            rows += t.size(0);
            columns += t.size(1);
        }
        Tensor out = Tensors.empty(type, parts.isEmpty() ? new int[] {1, 0} : new int[] {rows, columns});
        int row = 0;
        int column = 0;
        for (Tensor t : parts) {
            Tensors.copyInto(TensorViews.narrow(TensorViews.narrow(out, 0, row, t.size(0)), 1, column, t.size(1)), t);
            row += t.size(0);
            column += t.size(1);
        }
        return out;
    }
}
