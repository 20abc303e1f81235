package org.torchnnapi.converter.free.lower;

import org.torchnnapi.tensor.DType;

/** Bits of whole numbers in two's complement, which quotients that are rounded down and sums tell: NNAPI has no operations on bits. */
final class Bits {
    /** What comes of two bits, 0 or 1 each. */
    enum Joint {
        AND, OR, XOR;

        private Term of(NetBuilder net, Term a, Term b) {
            Term both = net.mul(a, b);
            return switch (this) {
                case AND -> both;
                case OR -> net.sub(net.add(a, b), both);
                default -> net.sub(net.add(a, b), net.mul(both, net.indices(2)));
            };
        }
    }

    private Bits() {
    }

    /** How many bits there are beside that of the sign. */
    private static int width(DType dtype) {
        return dtype == DType.UINT8 ? 8 : Math.min(32, 8 * dtype.bytes()) - 1;
    }

    /** With all bits of both; what is left of a number beyond them is 0 or -1, as its sign says. */
    static Term joined(NetBuilder net, Joint joint, Term a, Term b, DType dtype) {
        int width = width(dtype);
        Term two = net.indices(2);
        Term left = a;
        Term right = b;
        Term sum = null;
        for (int bit = 0; bit < width; bit++) {
            Term halfLeft = net.div(left, two);
            Term halfRight = net.div(right, two);
            Term made = joint.of(net, net.sub(left, net.mul(halfLeft, two)), net.sub(right, net.mul(halfRight, two)));
            Term weighed = bit == 0 ? made : net.mul(made, net.indices(1 << bit));
            sum = sum == null ? weighed : net.add(sum, weighed);
            left = halfLeft;
            right = halfRight;
        }
        if (dtype == DType.UINT8) {
            return sum;
        }
        Term minus = net.indices(-1);
        return net.add(sum, net.mul(joint.of(net, net.mul(left, minus), net.mul(right, minus)), net.indices(-1 << width)));
    }

    /** With the bits of a number that is not negative: each run of ones is what is left of a quotient. */
    static Term masked(NetBuilder net, Joint joint, Term a, long mask) {
        int bits = Math.toIntExact(mask);
        Term kept = null;
        for (int from = 0; bits >> from != 0; from++) {
            if ((bits >> from & 1) == 0) {
                continue;
            }
            int count = Integer.numberOfTrailingZeros(~(bits >> from));
            Term above = from == 0 ? a : net.div(a, net.indices(1 << from));
            // A run up to the bit of the sign takes two steps, as no number of 32 bits is as large as what lies behind it.
            Term beyond = net.div(net.div(above, net.indices(1 << count - 1)), net.indices(2));
            Term run = net.sub(above, net.mul(net.mul(beyond, net.indices(1 << count - 1)), net.indices(2)));
            Term placed = from == 0 ? run : net.mul(run, net.indices(1 << from));
            kept = kept == null ? placed : net.add(kept, placed);
            from += count - 1;
        }
        Term own = kept != null ? kept : net.sub(a, a);
        Term others = net.sub(net.indices(bits), own);
        return switch (joint) {
            case AND -> own;
            case OR -> net.add(a, others);
            default -> net.add(net.sub(a, own), others);
        };
    }
}
