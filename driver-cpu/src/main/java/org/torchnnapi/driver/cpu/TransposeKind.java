package org.torchnnapi.driver.cpu;

/** TRANSPOSE by a constant permutation. */
final class TransposeKind implements Kind {
    private static final int PERMUTATION = 1;

    @Override
    public String refusal(Site site) {
        return Site.first(site.typeProblem(0), site.variableProblem(1));
    }

    @Override
    public Step compile(Site site, Places places) {
        int[] dims = site.in(0).dimensions();
        int[] outDims = site.out().dimensions();
        int[] permutation = site.inputs() > PERMUTATION ? site.ints(PERMUTATION) : reversed(dims.length);
        int[] strides = new int[dims.length];
        for (int i = 0; i < strides.length; i++) {
            strides[i] = Site.product(dims, permutation[i] + 1, dims.length);
        }
        int inner = outDims[outDims.length - 1];
        int step = strides[strides.length - 1];
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        boolean real = site.isFloat();
        return new Step(places.count(site.operation().output(0)) / inner, memory -> (begin, end) -> {
            for (int row = begin; row < end; row++) {
                int from = in + rowStart(row, outDims, strides);
                int to = out + row * inner;
                if (real) {
                    floats(memory.floats(), from, step, to, inner);
                } else {
                    bytes(memory.bytes(), from, step, to, inner);
                }
            }
        });
    }

    private static int[] reversed(int rank) {
        int[] permutation = new int[rank];
        for (int i = 0; i < rank; i++) {
            permutation[i] = rank - 1 - i;
        }
        return permutation;
    }

    private static int rowStart(int row, int[] outDims, int[] strides) {
        int at = 0;
        int rest = row;
        for (int i = outDims.length - 2; i >= 0; i--) {
            at += rest % outDims[i] * strides[i];
            rest /= outDims[i];
        }
        return at;
    }

    private static void floats(float[] values, int from, int step, int to, int count) {
        for (int i = 0; i < count; i++) {
            values[to + i] = values[from + i * step];
        }
    }

    private static void bytes(byte[] values, int from, int step, int to, int count) {
        for (int i = 0; i < count; i++) {
            values[to + i] = values[from + i * step];
        }
    }
}
