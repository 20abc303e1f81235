package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ElementwiseOps;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.kernels.UnaryOp;

/**
 * A function of one element: by kernel in float, by table in bytes.
 *
 * @param op null when {@code clamp} is the whole function
 * @param tame whether finite numbers stay finite, as those between images of a blocked layout must
 */
record UnaryKind(UnaryOp op, Clamp clamp, boolean tame) implements Kind {
    static UnaryKind of(UnaryOp op, boolean tame) {
        return new UnaryKind(op, null, tame);
    }

    static UnaryKind of(Clamp clamp) {
        return new UnaryKind(null, clamp, true);
    }

    @Override
    public String refusal(Site site) {
        return site.typeProblem(0);
    }

    @Override
    public Images images(Site site) {
        return tame ? Images.ALIKE : Images.AS_DECLARED;
    }

    @Override
    public Step compile(Site site, Places places) {
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        int size = places.size(site.operation().input(0));
        if (!site.isFloat()) {
            byte[] table = ReferenceTable.unary(site);
            return Step.elementwise(size, memory -> (from, count) ->
                    Quantizing.lookUp(memory.bytes(), in + from, memory.bytes(), out + from, count, table));
        }
        if (op == null) {
            return Step.elementwise(size, memory -> (from, count) ->
                    ElementwiseOps.clamp(memory.floats(), in + from, memory.floats(), out + from, count, clamp));
        }
        return Step.elementwise(size, memory -> (from, count) ->
                ElementwiseOps.unary(op, memory.floats(), in + from, memory.floats(), out + from, count));
    }
}
