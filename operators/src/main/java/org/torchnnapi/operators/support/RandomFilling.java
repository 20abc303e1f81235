package org.torchnnapi.operators.support;

import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Tensors filled from the shared generator, in the order in which PyTorch fills them: that in which their elements lie
 * (ATen/native/cpu: DistributionTemplates.h).
 */
public final class RandomFilling {
    /** Above it whole numbers are not all there in 64 bits. */
    private static final double MAX_RATE = 1L << 53;
    /** From so many on, normal numbers are made of all uniform ones at once. */
    private static final int BLOCK = 16;

    private RandomFilling() {}

    /** Fills with what a function draws. */
    public static Tensor fill(Tensor out, ToDoubleFunction<RandomGenerator> source) {
        double[] values = new double[Math.toIntExact(out.numel())];
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length; i++) {
                values[i] = source.applyAsDouble(generator);
            }
        }
        Tensor inOrder = out.permute(MemoryOrder.order(out));
        Tensors.copyInto(inOrder, Elements.ofDoubles(out.dtype(), values, inOrder.sizes()));
        return out;
    }

    /** Uniform in [low, high). */
    public static Tensor uniform(Tensor out, double low, double high) {
        if (out.dtype() == DType.FLOAT64) {
            return fill(out, g -> g.nextDouble() * (high - low) + low);
        }
        int digits = digits(requireFloating("uniform_", out));
        float from = (float) low;
        float width = (float) high - from;
        return fill(out, g -> (float) (g.fraction(digits) * width + from));
    }

    /**
     * A tensor like that of the rates; by multiplying for small ones, and Hoermann's transformed rejection (1993) from
     * 10 on.
     */
    public static Tensor poisson(Tensor rates) {
        requireFloating("poisson", rates);
        double[] values = Elements.doubles(rates).clone();
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length; i++) {
                if (!(values[i] >= 0) || values[i] > MAX_RATE) {
                    throw new IllegalArgumentException(
                            "poisson: rate " + values[i] + " (expected: 0 to " + MAX_RATE + ")");
                }
                values[i] = values[i] >= 10
                        ? poissonByRejection(generator, values[i])
                        : values[i] == 0 ? 0 : poissonByProducts(generator, values[i]);
            }
        }
        return Elements.ofDoubles(rates.dtype(), values, rates.sizes());
    }

    private static double poissonByProducts(RandomGenerator generator, double rate) {
        double least = Math.exp(-rate);
        double product = generator.nextDouble();
        int count = 0;
        while (product > least) {
            product *= generator.nextDouble();
            count++;
        }
        return count;
    }

    private static double poissonByRejection(RandomGenerator generator, double rate) {
        double b = 0.931 + 2.53 * Math.sqrt(rate);
        double a = -0.059 + 0.02483 * b;
        double inverse = 1.1239 + 1.1328 / (b - 3.4);
        double accepted = 0.9277 - 3.6224 / (b - 2);
        while (true) {
            double u = generator.nextDouble() - 0.5;
            double v = generator.nextDouble();
            double us = 0.5 - Math.abs(u);
            double k = Math.floor((2 * a / us + b) * u + rate + 0.43);
            if (us >= 0.07 && v <= accepted) {
                return k;
            }
            boolean outside = k < 0 || us < 0.013 && v > us;
            if (!outside
                    && Math.log(v) + Math.log(inverse) - Math.log(a / (us * us) + b)
                            <= -rate + k * Math.log(rate) - SpecialFunctions.logGamma(k + 1)) {
                return k;
            }
        }
    }

    /**
     * Normal. PyTorch draws fewer than 16, and those that do not lie row-major, one after the other, and others in
     * blocks of 16.
     */
    public static Tensor normal(Tensor out, double mean, double deviation) {
        if (!(deviation >= 0)) {
            throw new IllegalArgumentException("normal expects std >= 0.0, but found std " + deviation);
        }
        requireFloating("normal_", out);
        int count = Math.toIntExact(out.numel());
        if (count < BLOCK || !out.isContiguous()) {
            return fill(out, g -> g.nextNormal() * deviation + mean);
        }
        double[] values = new double[count];
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            draw(generator, out.dtype(), values, 0, count);
            for (int at = 0; at + BLOCK <= count; at += BLOCK) {
                pairs(out.dtype(), values, at, mean, deviation);
            }
            if (count % BLOCK != 0) {
                draw(generator, out.dtype(), values, count - BLOCK, BLOCK);
                pairs(out.dtype(), values, count - BLOCK, mean, deviation);
            }
        }
        return Tensors.copyInto(out, Elements.ofDoubles(out.dtype(), values, out.sizes()));
    }

    private static void draw(RandomGenerator generator, DType type, double[] values, int from, int count) {
        int digits = digits(type);
        for (int i = from; i < from + count; i++) {
            values[i] = type == DType.FLOAT64 ? generator.nextDouble() : generator.fraction(digits);
        }
    }

    /** Eight pairs by Box and Muller's method, whose halves lie eight apart; each step is rounded to the type. */
    private static void pairs(DType type, double[] values, int at, double mean, double deviation) {
        for (int i = at; i < at + BLOCK / 2; i++) {
            double radius = Math.sqrt(-2 * Math.log(1 - values[i]));
            double theta = 2 * Math.PI * values[i + BLOCK / 2];
            if (type != DType.FLOAT64) {
                float logarithm = rounded(type, Math.log(rounded(type, 1 - values[i])));
                radius = rounded(type, Math.sqrt(-2 * logarithm));
                theta = type == DType.FLOAT32
                        ? (float) (2 * Math.PI) * (float) values[i + BLOCK / 2]
                        : rounded(type, 2 * Math.PI * values[i + BLOCK / 2]);
                values[i] = rounded(type, radius * rounded(type, Math.cos(theta))) * deviation + mean;
                values[i + BLOCK / 2] = rounded(type, radius * rounded(type, Math.sin(theta))) * deviation + mean;
                continue;
            }
            values[i] = radius * Math.cos(theta) * deviation + mean;
            values[i + BLOCK / 2] = radius * Math.sin(theta) * deviation + mean;
        }
    }

    private static float rounded(DType type, double value) {
        return (float) ElementRounding.to(type, value);
    }

    /** One with probability {@code p}, which is compared with a double, else zero. */
    public static Tensor bernoulli(Tensor out, double p) {
        requireProbability(p);
        return fill(out, g -> g.nextDouble() < p ? 1 : 0);
    }

    /** One with each element's own probability, else zero; all but float64 ones are compared with floats. */
    public static Tensor bernoulli(Tensor out, Tensor probabilities) {
        requireFloating("bernoulli_", probabilities);
        Tensor each = BroadcastShapes.expand(probabilities, out.sizes()).permute(MemoryOrder.order(out));
        double[] p = Elements.doubles(each);
        for (double probability : p) {
            requireProbability(probability);
        }
        int[] next = new int[1];
        boolean wide = probabilities.dtype() == DType.FLOAT64;
        int digits = digits(DType.FLOAT32);
        return fill(out, g -> (wide ? g.nextDouble() : g.fraction(digits)) < p[next[0]++] ? 1 : 0);
    }

    private static void requireProbability(double p) {
        if (!(p >= 0 && p <= 1)) {
            throw new IllegalArgumentException("bernoulli_ expects p to be in [0, 1], but got p=" + p);
        }
    }

    /** Whole numbers from {@code low} on, {@code range} of them; counts as unsigned. */
    public static Tensor integers(Tensor out, long low, long range) {
        boolean wide = Long.compareUnsigned(range, 1L << 32) >= 0
                && (out.dtype() == DType.INT64 || out.dtype().isFloating() && out.dtype() != DType.FLOAT16);
        return fillLongs(out, g -> low + Long.remainderUnsigned(wide ? g.longBits() : g.bits() & 0xffffffffL, range));
    }

    /**
     * Whole numbers from zero to the greatest of the type, or the greatest up to which a floating type holds them all.
     */
    public static Tensor integers(Tensor out) {
        DType type = out.dtype();
        if (type == DType.BOOL) {
            return fillLongs(out, g -> g.bits() & 1);
        }
        boolean wide = type == DType.INT64 || type == DType.FLOAT64;
        long range = type == DType.INT64 ? Long.MIN_VALUE : limit(type) + (type.isFloating() ? 1 : 0);
        return fillLongs(out, g -> Long.remainderUnsigned(wide ? g.longBits() : g.bits() & 0xffffffffL, range));
    }

    /** What whole numbers of a type stay below when no limit is given. */
    public static long limit(DType type) {
        return switch (type) {
            case UINT8 -> 1 << 8;
            case INT8 -> 1 << 7;
            case INT16 -> 1 << 15;
            case INT32 -> 1L << 31;
            case INT64 -> Long.MAX_VALUE;
            case BOOL -> 2;
            case FLOAT64 -> 1L << 53;
            default -> 1L << digits(type);
        };
    }

    private static Tensor fillLongs(Tensor out, ToLongFunction<RandomGenerator> source) {
        long[] values = new long[Math.toIntExact(out.numel())];
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length; i++) {
                values[i] = source.applyAsLong(generator);
            }
        }
        Tensor inOrder = out.permute(MemoryOrder.order(out));
        Tensors.copyInto(inOrder, Elements.ofLongs(DType.INT64, values, inOrder.sizes()));
        return out;
    }

    private static DType requireFloating(String operator, Tensor t) {
        if (!t.dtype().isFloating()) {
            throw new IllegalArgumentException(
                    "\"" + operator + "\" not implemented for '" + t.dtype().torchName() + "'");
        }
        return t.dtype();
    }

    /** Bits of a floating type's significand. */
    private static int digits(DType type) {
        return type == DType.FLOAT16 ? 11 : type == DType.BFLOAT16 ? 8 : 24;
    }
}
