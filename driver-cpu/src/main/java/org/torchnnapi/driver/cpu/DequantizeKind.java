package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperandType;

/** DEQUANTIZE of bytes of one scale: a table of the 256 real numbers. */
final class DequantizeKind implements Kind {
    @Override
    public String refusal(Site site) {
        String problem = site.typeProblem(0);
        if (problem == null && (site.isFloat() || site.out().type() != OperandType.TENSOR_FLOAT32)) {
            problem = site.in(0).type() + " to " + site.out().type() + " (expected: 8-bit to TENSOR_FLOAT32)";
        }
        return problem;
    }

    @Override
    public Step compile(Site site, Places places) {
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        float[] table = new float[256];
        for (int i = 0; i < table.length; i++) {
            table[i] = ((site.isSigned() ? (byte) i : i) - site.in(0).zeroPoint()) * site.in(0).scale();
        }
        return Step.elementwise(places.count(site.operation().output(0)), memory -> (from, count) -> {
            byte[] bytes = memory.bytes();
            float[] floats = memory.floats();
            for (int i = from; i < from + count; i++) {
                floats[out + i] = table[bytes[in + i] & 0xff];
            }
        });
    }
}
