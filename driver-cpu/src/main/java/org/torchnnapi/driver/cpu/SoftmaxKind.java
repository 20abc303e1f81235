package org.torchnnapi.driver.cpu;

import org.torchnnapi.kernels.Softmax;

/** SOFTMAX of floats along any axis. */
final class SoftmaxKind implements Kind {
    private static final int BETA = 1;
    private static final int AXIS = 2;

    @Override
    public String refusal(Site site) {
        String problem = Site.first(site.typeProblem(0), site.variableProblem(1));
        if (problem == null && !site.isFloat()) {
            problem = "input 0: " + site.in(0).type() + " (expected: TENSOR_FLOAT32)";
        }
        if (problem == null && !(site.operand(BETA).value().getFloat(0) > 0)) {
            problem = "beta: " + site.operand(BETA).value().getFloat(0) + " (expected: > 0)";
        }
        return problem;
    }

    @Override
    public Step compile(Site site, Places places) {
        int[] dims = site.in(0).dimensions();
        int given = site.intValue(AXIS, -1);
        int axis = given < 0 ? given + dims.length : given;
        int inner = Site.product(dims, axis + 1, dims.length);
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        float beta = site.operand(BETA).value().getFloat(0);
        return new Step(Site.product(dims, 0, axis), memory -> (begin, end) ->
                Softmax.run(memory.floats(), in, memory.floats(), out, dims[axis], inner, beta, begin, end));
    }
}
