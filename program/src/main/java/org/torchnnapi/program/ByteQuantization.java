package org.torchnnapi.program;

/** How bytes stand for real numbers: {@code real = (byte - zeroPoint) * scale}. */
public record ByteQuantization(Element element, float scale, int zeroPoint) {
    public ByteQuantization {
        if (!element.isQuantized()) {
            throw new IllegalArgumentException("element: " + element + " (expected: UINT8 or INT8)");
        }
        if (!(scale > 0) || Float.isInfinite(scale)) {
            throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
        }
        if (zeroPoint < element.min() || zeroPoint > element.max()) {
            throw new IllegalArgumentException(
                    "zero point: " + zeroPoint + " (expected: within [" + element.min() + ", " + element.max() + "])");
        }
    }
}
