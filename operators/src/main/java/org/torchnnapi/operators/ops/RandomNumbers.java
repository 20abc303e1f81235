package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.dtypeOr;
import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.ints;
import static org.torchnnapi.operators.support.Args.real;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToDoubleFunction;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/** Random tensors. The numbers follow PyTorch's distributions, not its sequences. */
public final class RandomNumbers implements OperatorFamily {
    @Override
    public void register(Registrar all) {
        Registrar r = all.with(OperatorTrait.RANDOM);
        r.op("aten::rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None) -> Tensor", a -> random(ints(a, 0), dtypeOr(a, 1, DType.FLOAT32), Random::nextFloat));
        r.op("aten::randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None) -> Tensor", a -> random(ints(a, 0), dtypeOr(a, 1, DType.FLOAT32), Random::nextGaussian));
        r.op("aten::randint(int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None) -> Tensor", a -> integers(ints(a, 1), 0, integer(a, 0), dtypeOr(a, 2, DType.INT64)));
        r.op("aten::randint.low(int low, int high, int[] size, *, ScalarType? dtype=4, Layout? layout=None, "
            + "Device? device=None, bool? pin_memory=None) -> Tensor", a -> integers(ints(a, 2), integer(a, 0), integer(a, 1), dtypeOr(a, 3, DType.INT64)));
        r.op("aten::randperm(int n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None) -> Tensor", a -> permutation(integer(a, 0), dtypeOr(a, 1, DType.INT64)));
        r.op("aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", a -> random(tensor(a, 0).sizes(), dtypeOr(a, 1, tensor(a, 0).dtype()), Random::nextFloat));
        r.op("aten::randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
            + "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor", a -> random(tensor(a, 0).sizes(), dtypeOr(a, 1, tensor(a, 0).dtype()), Random::nextGaussian));
        r.op("aten::normal_(Tensor(a!) self, float mean=0., float std=1., *, Generator? generator=None) -> Tensor(a!)", a -> {
            double mean = real(a, 1);
            double deviation = real(a, 2);
            return fill(tensor(a, 0), g -> mean + deviation * g.nextGaussian());
        });
        r.op("aten::uniform_(Tensor(a!) self, float from=0., float to=1., *, Generator? generator=None) -> Tensor(a!)", a -> {
            double low = real(a, 1);
            double width = real(a, 2) - low;
            return fill(tensor(a, 0), g -> low + width * g.nextFloat());
        });
        r.op("aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None) -> Tensor(a!)", a -> {
            double p = real(a, 1);
            return fill(tensor(a, 0), g -> g.nextDouble() < p ? 1 : 0);
        });
    }

    private static Tensor random(int[] sizes, DType type, ToDoubleFunction<Random> source) {
        return fill(Tensors.empty(type, sizes), source);
    }

    private static Tensor fill(Tensor out, ToDoubleFunction<Random> source) {
        double[] values = new double[Math.toIntExact(out.numel())];
        for (int i = 0; i < values.length; i++) {
            values[i] = source.applyAsDouble(ThreadLocalRandom.current());
        }
        return Tensors.copyInto(out, Elements.ofDoubles(out.dtype(), values, out.sizes()));
    }

    private static Tensor integers(int[] sizes, long low, long high, DType type) {
        if (low >= high) {
            throw new IllegalArgumentException("random_ expects 'from' to be less than 'to', but got from=" + low + " >= to=" + high);
        }
        return random(sizes, type, g -> ThreadLocalRandom.current().nextLong(low, high));
    }

    private static Tensor permutation(long n, DType type) {
        if (n < 0 || n > Integer.MAX_VALUE - 8) {
            throw new IllegalArgumentException("n must be non-negative, got " + n);
        }
        long[] values = new long[(int) n];
        for (int i = 0; i < values.length; i++) {
            int j = ThreadLocalRandom.current().nextInt(i + 1);
            values[i] = values[j];
            values[j] = i;
        }
        return Elements.ofLongs(type, values, values.length);
    }
}
