package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperandDescriptor;

/** CONCATENATION of tensors of one quantization. */
final class ConcatenationKind implements Kind {
    @Override
    public String refusal(Site site) {
        int tensors = site.inputs() - 1;
        String problem = site.variableProblem(tensors);
        for (int i = 0; i < tensors && problem == null; i++) {
            OperandDescriptor in = site.in(i);
            problem = site.typeProblem(i);
            if (problem == null && (in.scale() != site.out().scale() || in.zeroPoint() != site.out().zeroPoint())) {
                problem = "input " + i + ": " + in + " (expected: scale and zero point of the output)";
            }
        }
        return problem;
    }

    @Override
    public Step compile(Site site, Places places) {
        int[] outDims = site.out().dimensions();
        int tensors = site.inputs() - 1;
        int axis = site.intValue(tensors);
        int outRun = Site.product(outDims, axis, outDims.length);
        int[] in = new int[tensors];
        int[] runs = new int[tensors];
        for (int i = 0; i < tensors; i++) {
            in[i] = places.offset(site.operation().input(i));
            runs[i] = Site.product(site.in(i).dimensions(), axis, outDims.length);
        }
        int out = places.offset(site.operation().output(0));
        boolean real = site.isFloat();
        return new Step(Site.product(outDims, 0, axis), memory -> {
            Object values = real ? memory.floats() : memory.bytes();
            return (begin, end) -> {
                for (int outer = begin; outer < end; outer++) {
                    int to = out + outer * outRun;
                    for (int i = 0; i < in.length; i++) {
                        System.arraycopy(values, in[i] + outer * runs[i], values, to, runs[i]);
                        to += runs[i];
                    }
                }
            };
        });
    }
}
