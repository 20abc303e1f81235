package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.formatOr;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.Pointwise;
import org.torchnnapi.operators.support.RandomFilling;
import org.torchnnapi.operators.support.RandomGenerator;
import org.torchnnapi.operators.support.SampledDistributions;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Random tensors, of PyTorch's numbers after the same seed. The generator is the shared one whatever an argument says:
 * a script has no other.
 */
public final class Distributions implements OperatorFamily {
    private static final String OPTIONS =
            "ScalarType? dtype=%s, Layout? layout=None, Device? device=None, bool? pin_memory=None";
    private static final String MADE = "*, " + OPTIONS + ") -> Tensor";
    private static final String LIKE = "*, " + OPTIONS + ", MemoryFormat? memory_format=None) -> Tensor";
    private static final String FILLED = "*, Generator? generator=None) -> Tensor(a!)";

    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.RANDOM);
        String made = String.format(MADE, "None");
        String like = String.format(LIKE, "None");
        String integral = String.format(MADE, "4");
        r.op("aten::rand(int[] size, " + made, a -> uniform(empty(a, 0, 1), 0, 1));
        r.op("aten::rand.generator(int[] size, " + generated(made), a -> uniform(empty(a, 0, 2), 0, 1));
        r.op("aten::randn(int[] size, " + made, a -> normal(empty(a, 0, 1), 0, 1));
        r.op("aten::randn.generator(int[] size, " + generated(made), a -> normal(empty(a, 0, 2), 0, 1));
        r.op("aten::randint(int high, int[] size, " + integral, a -> integers(integral(a, 1, 2), 0, integer(a, 0)));
        r.op(
                "aten::randint.generator(int high, int[] size, " + generated(integral),
                a -> integers(integral(a, 1, 3), 0, integer(a, 0)));
        r.op(
                "aten::randint.low(int low, int high, int[] size, " + integral,
                a -> integers(integral(a, 2, 3), integer(a, 0), integer(a, 1)));
        r.op(
                "aten::randint.low_generator(int low, int high, int[] size, " + generated(integral),
                a -> integers(integral(a, 2, 4), integer(a, 0), integer(a, 1)));
        r.op("aten::randperm(int n, " + integral, a -> permutation(integer(a, 0), dtypeOr(a, 1, DType.INT64)));
        r.op(
                "aten::randperm.generator(int n, " + generated(integral),
                a -> permutation(integer(a, 0), dtypeOr(a, 2, DType.INT64)));
        r.op("aten::rand_like(Tensor self, " + like, a -> uniform(like(a, 1), 0, 1));
        r.op("aten::randn_like(Tensor self, " + like, a -> normal(like(a, 1), 0, 1));
        r.op("aten::randint_like(Tensor self, int high, " + like, a -> integers(like(a, 2), 0, integer(a, 1)));
        r.op("aten::rand_like.generator(Tensor self, " + generated(like), a -> uniform(like(a, 2), 0, 1));
        r.op("aten::randn_like.generator(Tensor self, " + generated(like), a -> normal(like(a, 2), 0, 1));
        r.op(
                "aten::randint_like.generator(Tensor self, int high, " + generated(like),
                a -> integers(like(a, 3), 0, integer(a, 1)));
        r.op(
                "aten::randint_like.Tensor(Tensor self, Tensor high, " + like,
                a -> integers(like(a, 2), 0, tensor(a, 1).getLong(0)));
        r.op(
                "aten::randint_like.low_dtype(Tensor self, int low, int high, " + like,
                a -> integers(like(a, 3), integer(a, 1), integer(a, 2)));
        registerFilling(r);
        registerFunctional(r);
        registerDraws(r, all);
        all.with(OperatorTrait.ACTING).op("aten::manual_seed(int seed) -> ()", a -> {
            RandomGenerator.shared().seed(integer(a, 0));
            return null;
        });
    }

    private static void registerFilling(Registrar r) {
        String self = "_(Tensor(a!) self, ";
        r.op(
                "aten::normal" + self + "float mean=0., float std=1., " + FILLED,
                a -> normal(tensor(a, 0), real(a, 1), real(a, 2)));
        r.op(
                "aten::uniform" + self + "float from=0., float to=1., " + FILLED,
                a -> uniform(tensor(a, 0), real(a, 1), real(a, 2)));
        r.op(
                "aten::exponential" + self + "float lambd=1., " + FILLED,
                a -> RandomFilling.fill(tensor(a, 0), g -> g.nextExponential(real(a, 1))));
        r.op(
                "aten::log_normal" + self + "float mean=1., float std=2., " + FILLED,
                a -> RandomFilling.fill(tensor(a, 0), g -> Math.exp(g.nextNormal() * real(a, 2) + real(a, 1))));
        r.op(
                "aten::cauchy" + self + "float median=0., float sigma=1., " + FILLED,
                a -> RandomFilling.fill(
                        tensor(a, 0), g -> real(a, 1) + real(a, 2) * Math.tan(Math.PI * (g.nextDouble() - 0.5))));
        r.op(
                "aten::geometric" + self + "float p, " + FILLED,
                a -> RandomFilling.fill(
                        tensor(a, 0), g -> Math.ceil(Math.log(g.nextDouble()) / Math.log(1 - real(a, 1)))));
        r.op(
                "aten::bernoulli_.float(Tensor(a!) self, float p=0.5, " + FILLED,
                a -> RandomFilling.bernoulli(tensor(a, 0), real(a, 1)));
        r.op(
                "aten::bernoulli_.Tensor(Tensor(a!) self, Tensor p, " + FILLED,
                a -> RandomFilling.bernoulli(tensor(a, 0), tensor(a, 1)));
        r.op("aten::random" + self + FILLED, a -> RandomFilling.integers(tensor(a, 0)));
        r.op("aten::random_.to(Tensor(a!) self, int to, " + FILLED, a -> integers(tensor(a, 0), 0, integer(a, 1)));
        r.op(
                "aten::random_.from(Tensor(a!) self, int from, int? to, " + FILLED,
                a -> integers(
                        tensor(a, 0),
                        integer(a, 1),
                        a[2] == null ? RandomFilling.limit(tensor(a, 0).dtype()) : integer(a, 2)));
    }

    /** What the filling operators write, in a tensor of its own. */
    private static void registerFunctional(Registrar r) {
        registerFilling((schema, kernel, traits) -> {
            String name = schema.substring(0, schema.indexOf('('));
            String own = name.equals("aten::bernoulli_.float")
                    ? null
                    : name.equals("aten::normal_") ? "aten::normal_functional" : name.replaceFirst("_(?=\\.|$)", "");
            if (own != null) {
                r.op(
                        own + schema.substring(name.length()).replace("(a!)", ""),
                        a -> {
                            Object[] copy = a.clone();
                            copy[0] = like(tensor(a, 0), null, null);
                            return kernel.call(copy);
                        },
                        traits);
            }
        });
    }

    /** Complex numbers have both parts drawn. */
    private static Tensor uniform(Tensor out, double low, double high) {
        RandomFilling.uniform(out.dtype().isComplex() ? ComplexOperators.viewAsReal(out) : out, low, high);
        return out;
    }

    /** Both parts of complex numbers have half the variance. */
    private static Tensor normal(Tensor out, double mean, double deviation) {
        boolean complex = out.dtype().isComplex();
        RandomFilling.normal(
                complex ? ComplexOperators.viewAsReal(out) : out, mean, complex ? deviation / Math.sqrt(2) : deviation);
        return out;
    }

    private static void registerDraws(Registrar r, Registrar all) {
        String generator = "*, Generator? generator=None) -> Tensor";
        r.op(
                "aten::bernoulli(Tensor self, " + generator,
                a -> RandomFilling.bernoulli(like(tensor(a, 0), null, null), tensor(a, 0)));
        r.op(
                "aten::bernoulli.p(Tensor self, float p, " + generator,
                a -> RandomFilling.bernoulli(like(tensor(a, 0), null, null), real(a, 1)));
        all.op(
                "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, "
                        + "Generator? generator=None) -> Tensor",
                a -> leaky(tensor(a, 0), real(a, 1), real(a, 2), flag(a, 3)),
                OperatorTrait.TRAINS,
                OperatorTrait.KEEPS_SHAPE);
        r.op(
                "aten::poisson(Tensor self, Generator? generator=None) -> Tensor",
                a -> RandomFilling.poisson(tensor(a, 0)));
        String sampled = ", Generator? generator=None) -> Tensor";
        r.op("aten::_standard_gamma(Tensor self" + sampled, a -> SampledDistributions.gamma(tensor(a, 0)));
        r.op("aten::_sample_dirichlet(Tensor self" + sampled, a -> SampledDistributions.dirichlet(tensor(a, 0)));
        r.op(
                "aten::binomial(Tensor count, Tensor prob" + sampled,
                a -> SampledDistributions.binomial(tensor(a, 0), tensor(a, 1)));
        r.op(
                "aten::multinomial(Tensor self, int num_samples, bool replacement=False, " + generator,
                a -> Multinomial.draw(tensor(a, 0), integer(a, 1), flag(a, 2)));
        r.op("aten::normal.Tensor_float(Tensor mean, float std=1., " + generator, a -> {
            Tensor drawn = RandomFilling.normal(like(tensor(a, 0), null, MemoryFormat.CONTIGUOUS), 0, real(a, 1));
            return BinaryOps.add(drawn, tensor(a, 0), 1L);
        });
        r.op("aten::normal.float_Tensor(float mean, Tensor std, " + generator, a -> {
            Tensor drawn = RandomFilling.normal(like(tensor(a, 1), null, MemoryFormat.CONTIGUOUS), 0, 1);
            return BinaryOps.add(BinaryOps.multiply(drawn, tensor(a, 1)), a[0], 1L);
        });
        r.op("aten::normal.Tensor_Tensor(Tensor mean, Tensor std, " + generator, a -> {
            int[] sizes =
                    BroadcastShapes.shape(tensor(a, 0).sizes(), tensor(a, 1).sizes());
            Tensor drawn = RandomFilling.normal(Tensors.empty(tensor(a, 0).dtype(), sizes), 0, 1);
            return BinaryOps.add(BinaryOps.multiply(drawn, tensor(a, 1)), tensor(a, 0), 1L);
        });
        r.op(
                "aten::normal.float_float(float mean, float std, int[] size, *, Generator? generator=None, "
                        + String.format(OPTIONS, "None") + ") -> Tensor",
                a -> normal(empty(a, 2, 4), real(a, 0), real(a, 1)));
    }

    /** The same schema with a generator before the options. */
    private static String generated(String schema) {
        return schema.replace("*, ", "*, Generator? generator, ");
    }

    private static Tensor empty(Object[] a, int sizes, int type) {
        return Tensors.empty(dtypeOr(a, type, DType.FLOAT32), ints(a, sizes));
    }

    private static Tensor integral(Object[] a, int sizes, int type) {
        return Tensors.empty(dtypeOr(a, type, DType.INT64), ints(a, sizes));
    }

    private static Tensor like(Object[] a, int type) {
        return like(tensor(a, 0), dtypeOr(a, type, null), formatOr(a, type + 4, null));
    }

    /** An empty tensor with a tensor's sizes; {@code format} null keeps dense strides. */
    static Tensor like(Tensor t, DType type, MemoryFormat format) {
        DType made = type == null ? t.dtype() : type;
        if (format != null && format != MemoryFormat.PRESERVE) {
            return Tensors.empty(made, format, t.sizes());
        }
        return Tensors.strided(
                made, t.sizes(), MemoryOrder.isDense(t) ? t.strides() : Shape.contiguousStrides(t.sizes()), null);
    }

    private static Tensor integers(Tensor out, long low, long high) {
        if (low >= high) {
            throw new IllegalArgumentException(
                    "random_ expects 'from' to be less than 'to', but got from=" + low + " >= to=" + high);
        }
        return RandomFilling.integers(out, low, high - low);
    }

    private static Tensor permutation(long n, DType type) {
        if (n < 0 || n > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("n must be non-negative, got " + n);
        }
        Tensors.requireRoom("permutation of " + n + " numbers", n * Long.BYTES);
        long[] values = new long[(int) n];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length - 1; i++) {
                int other = i + Integer.remainderUnsigned(generator.bits(), values.length - i);
                long swap = values[i];
                values[i] = values[other];
                values[other] = swap;
            }
        }
        return Elements.ofLongs(type, values, values.length);
    }

    /** In training a slope is drawn for each element that is not positive. */
    private static Tensor leaky(Tensor t, double lower, double upper, boolean training) {
        if (!training) {
            return Pointwise.unary(t.contiguous(), x -> x <= 0 ? x * (lower + upper) / 2 : x);
        }
        double[] values = Elements.doubles(t).clone();
        RandomGenerator generator = RandomGenerator.shared();
        synchronized (generator) {
            for (int i = 0; i < values.length; i++) {
                values[i] *= values[i] <= 0 ? lower + (upper - lower) * generator.nextDouble() : 1;
            }
        }
        return Elements.ofDoubles(t.dtype(), values, t.sizes());
    }
}
