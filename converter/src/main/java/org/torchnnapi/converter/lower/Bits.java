package org.torchnnapi.converter.lower;

import org.torchnnapi.tensor.DType;

/**
 * Bits of whole numbers in two's complement, which quotients that are rounded down and sums tell: NNAPI has no
 * operations on bits.
 */
final class Bits {
    /** What comes of two bits, 0 or 1 each. */
    enum Joint {
        AND,
        OR,
        XOR;

        private OperandRef of(NnapiBuilder nnapi, OperandRef a, OperandRef b) {
            OperandRef both = nnapi.mul(a, b);
            return switch (this) {
                case AND -> both;
                case OR -> nnapi.sub(nnapi.add(a, b), both);
                default -> nnapi.sub(nnapi.add(a, b), nnapi.mul(both, nnapi.indices(2)));
            };
        }
    }

    private Bits() {}

    /** How many bits there are beside that of the sign. */
    private static int width(DType dtype) {
        return dtype == DType.UINT8 ? 8 : Math.min(32, 8 * dtype.bytes()) - 1;
    }

    /** With all bits of both; what is left of a number beyond them is 0 or -1, as its sign says. */
    static OperandRef joined(NnapiBuilder nnapi, Joint joint, OperandRef a, OperandRef b, DType dtype) {
        int width = width(dtype);
        OperandRef two = nnapi.indices(2);
        OperandRef left = a;
        OperandRef right = b;
        OperandRef sum = null;
        for (int bit = 0; bit < width; bit++) {
            OperandRef halfLeft = nnapi.div(left, two);
            OperandRef halfRight = nnapi.div(right, two);
            OperandRef made = joint.of(
                    nnapi, nnapi.sub(left, nnapi.mul(halfLeft, two)), nnapi.sub(right, nnapi.mul(halfRight, two)));
            OperandRef weighed = bit == 0 ? made : nnapi.mul(made, nnapi.indices(1 << bit));
            sum = sum == null ? weighed : nnapi.add(sum, weighed);
            left = halfLeft;
            right = halfRight;
        }
        if (dtype == DType.UINT8) {
            return sum;
        }
        OperandRef minus = nnapi.indices(-1);
        return nnapi.add(
                sum,
                nnapi.mul(
                        joint.of(nnapi, nnapi.mul(left, minus), nnapi.mul(right, minus)), nnapi.indices(-1 << width)));
    }

    /** With the bits of a number that is not negative: each run of ones is what is left of a quotient. */
    static OperandRef masked(NnapiBuilder nnapi, Joint joint, OperandRef a, long mask) {
        int bits = Math.toIntExact(mask);
        OperandRef kept = null;
        for (int from = 0; bits >> from != 0; from++) {
            if ((bits >> from & 1) == 0) {
                continue;
            }
            int count = Integer.numberOfTrailingZeros(~(bits >> from));
            OperandRef above = from == 0 ? a : nnapi.div(a, nnapi.indices(1 << from));
            // A run up to the bit of the sign takes two steps, as no number of 32 bits is as large as what lies behind
            // it.
            OperandRef beyond = nnapi.div(nnapi.div(above, nnapi.indices(1 << count - 1)), nnapi.indices(2));
            OperandRef run =
                    nnapi.sub(above, nnapi.mul(nnapi.mul(beyond, nnapi.indices(1 << count - 1)), nnapi.indices(2)));
            OperandRef placed = from == 0 ? run : nnapi.mul(run, nnapi.indices(1 << from));
            kept = kept == null ? placed : nnapi.add(kept, placed);
            from += count - 1;
        }
        OperandRef own = kept != null ? kept : nnapi.sub(a, a);
        OperandRef others = nnapi.sub(nnapi.indices(bits), own);
        return switch (joint) {
            case AND -> own;
            case OR -> nnapi.add(a, others);
            default -> nnapi.add(nnapi.sub(a, own), others);
        };
    }
}
