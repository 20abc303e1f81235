package org.torchnnapi.differ;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Pairs of steps of two recordings that compute the same: the most alike common subsequence, by family, line of source,
 * module, shape, and the range of what they gave. Operations of NNAPI have no line or module, and there may be many of
 * one family and shape, as a layer is several of them and a loop is unrolled.
 */
final class Alignment {
    private static final int IMAGE = 4;

    /**
     * The same layer in both.
     *
     * @param near whether what they gave is alike as well
     */
    record Pair(RecordedStep first, RecordedStep second, boolean near) {}

    private Alignment() {}

    static List<Pair> of(List<RecordedStep> first, List<RecordedStep> second) {
        List<ValueRange> firstRanges =
                first.stream().map(step -> ValueRange.of(step.value())).collect(Streams.toList());
        List<ValueRange> secondRanges =
                second.stream().map(step -> ValueRange.of(step.value())).collect(Streams.toList());
        int[][] alike = new int[first.size()][second.size()];
        int[][] best = new int[first.size() + 1][second.size() + 1];
        for (int i = first.size() - 1; i >= 0; i--) {
            for (int k = second.size() - 1; k >= 0; k--) {
                alike[i][k] =
                        alike(first.get(i), second.get(k), firstRanges.get(i).isNear(secondRanges.get(k)));
                int paired = alike[i][k] > 0 ? alike[i][k] + best[i + 1][k + 1] : 0;
                best[i][k] = Math.max(paired, Math.max(best[i + 1][k], best[i][k + 1]));
            }
        }
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0, k = 0; i < first.size() && k < second.size(); ) {
            if (alike[i][k] > 0 && best[i][k] == alike[i][k] + best[i + 1][k + 1]) {
                pairs.add(
                        new Pair(first.get(i), second.get(k), firstRanges.get(i).isNear(secondRanges.get(k))));
                i++;
                k++;
            } else if (best[i][k] == best[i + 1][k]) {
                i++;
            } else {
                k++;
            }
        }
        return Collections.unmodifiableList(pairs);
    }

    /** 0 for steps that cannot be the same layer. */
    private static int alike(RecordedStep a, RecordedStep b, boolean near) {
        if (!OperatorKinds.of(a.operator()).equals(OperatorKinds.of(b.operator()))
                || sameShape(a.value(), b.value()) == null) {
            return 0;
        }
        SourceRange.Python here = a.range().python();
        SourceRange.Python there = b.range().python();
        boolean line = here != null && there != null && here.file().equals(there.file()) && here.line() == there.line();
        boolean module = !a.range().module().isEmpty()
                && a.range().module().equals(b.range().module());
        return 2 + (line ? 2 : 0) + (module ? 3 : 0) + (near ? 2 : 0);
    }

    /**
     * The second tensor in the first's order of dimensions, which may be NNAPI's in either; null if the shapes differ.
     */
    static Tensor sameShape(Tensor a, Tensor b) {
        if (Arrays.equals(a.sizes(), b.sizes())) {
            return b;
        }
        if (a.rank() == IMAGE && b.rank() == IMAGE) {
            Tensor first = b.permute(0, 3, 1, 2);
            Tensor last = b.permute(0, 2, 3, 1);
            return Arrays.equals(a.sizes(), first.sizes())
                    ? first
                    : Arrays.equals(a.sizes(), last.sizes()) ? last : null;
        }
        return squeezed(a, b);
    }

    /**
     * The second's values in the first's order of dimensions: as {@link #sameShape}; and where one is of NNAPI, whose
     * images may lie either way, and has as many channels as rows and columns, in each of the orders that its sizes
     * leave open. The right one is that in which they differ least.
     */
    static List<Tensor> orders(RecordedStep first, RecordedStep second) {
        Tensor a = first.value();
        Tensor b = second.value();
        boolean open = (first.isNnapi() || second.isNnapi())
                && a.rank() == IMAGE
                && Arrays.equals(a.sizes(), b.sizes())
                && a.size(1) == a.size(2)
                && a.size(2) == a.size(3);
        return open ? List.of(b, b.permute(0, 3, 1, 2), b.permute(0, 2, 3, 1)) : List.of(sameShape(a, b));
    }

    /** Dimensions of 1 do not count, as NNAPI's layers want other ranks than PyTorch's. */
    private static Tensor squeezed(Tensor a, Tensor b) {
        int[] x = Arrays.stream(a.sizes()).filter(size -> size != 1).toArray();
        int[] y = Arrays.stream(b.sizes()).filter(size -> size != 1).toArray();
        if (!Arrays.equals(x, y)) {
            return null;
        }
        Tensor dense = b.contiguous();
        int[] strides = new int[a.rank()];
        int step = 1;
        for (int d = a.rank() - 1; d >= 0; d--) {
            strides[d] = step;
            step *= Math.max(1, a.size(d));
        }
        return dense.asStrided(a.sizes(), strides, dense.offset());
    }
}
