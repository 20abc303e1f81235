package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.kernels.Reduction;
import org.torchnnapi.kernels.Rounding;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.QuantizedExtreme;
import org.torchnnapi.program.op.QuantizedMean;
import org.torchnnapi.program.op.Reduce;
import org.torchnnapi.program.op.Reshape;

/** MEAN and REDUCE_* over adjacent axes, such as height and width; of bytes the mean, the largest and the smallest. */
record ReductionKind(Reduction reduction) implements Kind {
    private static final int AXES = 1;

    @Override
    public String typeRefusal(Site site) {
        return Site.first(site.typeProblem(0), reduction == Reduction.MEAN || isExtreme() ? null : site.realProblem(0));
    }

    @Override
    public String refusal(Site site) {
        try {
            return op(site).result(List.of(site.type(0))).count() == site.out().elementCount() ? null
                    : "output: " + site.out() + " (expected: one element for all that are reduced together)";
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private Op op(Site site) {
        if (site.isFloat()) {
            return new Reduce(reduction, site.ints(AXES), true);
        }
        return isExtreme() ? new QuantizedExtreme(reduction == Reduction.MAX, site.ints(AXES), true)
                : new QuantizedMean(site.ints(AXES), true, Rounding.HALF_EVEN);
    }

    private boolean isExtreme() {
        return reduction == Reduction.MAX || reduction == Reduction.MIN;
    }

    @Override
    public void translate(Site site, Translation translation) {
        // Without the axes, or as [1] where none is left.
        translation.result(site, new Reshape(site.out().dimensions()), translation.add(op(site), translation.in(site, 0)));
    }
}
