package org.torchnnapi.execution.tracing.lower;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.QuantizedWeights;
import org.torchnnapi.kernels.WeightsOrigin;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.ImageCopies;
import org.torchnnapi.operators.support.ProductScales;
import org.torchnnapi.operators.support.QuantizedMath;
import org.torchnnapi.program.op.QuantizedConvolutionOp;
import org.torchnnapi.program.op.QuantizedLinearOp;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/** Convolutions and linear layers of bytes with packed weights, by QNNPACK's rounding. */
final class QuantizedProductLowering implements LoweringFamily {
    private record Known(WeightsOrigin origin, List<Integer> zeroPoints) {}

    private static final Map<Known, WeakReference<QuantizedWeights>> KNOWN = new HashMap<>();

    @Override
    public void register(Registrar r) {
        for (boolean relu : new boolean[] {false, true}) {
            String suffix = relu ? "_relu" : "";
            r.add("quantized::conv2d" + suffix, (lowered, node, a) -> image(lowered, a, relu));
            r.add("quantized::conv1d" + suffix, (lowered, node, a) -> sequence(lowered, a, relu));
            r.add("quantized::linear" + suffix, (lowered, node, a) -> linear(lowered, a, relu));
        }
        r.add("quantized::conv_transpose2d", (lowered, node, a) -> image(lowered, a, false));
        r.add("quantized::conv_transpose1d", (lowered, node, a) -> sequence(lowered, a, false));
    }

    /** Scale and zero point are the last two arguments, also in the older schema that repeats the geometry. */
    private static Quantization.PerTensor output(Object[] a) {
        return new Quantization.PerTensor(Args.real(a, a.length - 2), Args.int32(a, a.length - 1));
    }

    private static Tensor image(Lowered lowered, Object[] a, boolean relu) {
        Tensor x = Support.bytes(a, 0);
        Support.require(x.rank() == 4, "images");
        QuantizedConvolutionOp op = convolution(x, x.sizes(), ConvolutionParams.CLASS_2D.unwrap(a, 1), output(a), relu);
        return lowered.compute(
                op, Lowered.tensor(x.dtype(), output(a), MemoryFormat.CHANNELS_LAST, sizes(x, op.shape())), x);
    }

    private static Tensor sequence(Lowered lowered, Object[] a, boolean relu) {
        Tensor x = Support.bytes(a, 0);
        Support.require(x.rank() == 3, "sequences");
        int[] flat = {x.size(0), x.size(1), 1, x.size(2)};
        QuantizedConvolutionOp op = convolution(x, flat, ConvolutionParams.CLASS_2D.unwrap(a, 1), output(a), relu);
        Tensor image = lowered.compute(new ReshapeOp(flat), Lowered.tensor(x.dtype(), x.quantization(), flat), x);
        int[] made = sizes(x, op.shape());
        Tensor result =
                lowered.compute(op, Lowered.tensor(x.dtype(), output(a), MemoryFormat.CHANNELS_LAST, made), image);
        int[] sequence = {made[0], made[1], made[3]};
        int[] strides = {result.strides()[0], result.strides()[1], result.strides()[3]};
        Tensor view = Lowered.tensor(x.dtype(), output(a), sequence, strides);
        return lowered.compute(
                new ReshapeOp(sequence),
                view.isContiguous() ? view : Lowered.tensor(x.dtype(), output(a), sequence),
                result);
    }

    private static int[] sizes(Tensor x, ConvShape shape) {
        return new int[] {x.size(0), shape.outC(), shape.outH(), shape.outW()};
    }

    private static QuantizedConvolutionOp convolution(
            Tensor x, int[] image, ConvolutionParams p, Quantization.PerTensor output, boolean relu) {
        Tensor weight = p.weight();
        int channels = p.transposed() ? weight.size(0) : weight.size(1) * p.groups();
        Support.require(
                weight.rank() == 4
                        && image[1] == channels
                        && (weight.dtype() == DType.QINT8 || weight.dtype() == DType.QUINT8),
                "channels as the weight has");
        ConvShape shape = ConvShape.of(channels, image[2], image[3], p.outputChannels(), weight.size(2), weight.size(3))
                .stride(p.stride()[0], p.stride()[1])
                .dilation(p.dilation()[0], p.dilation()[1])
                .padding(p.padding()[0], p.padding()[1])
                .groups(p.groups());
        if (p.transposed()) {
            shape = shape.transposed(p.outputPadding()[0], p.outputPadding()[1]);
        }
        ProductScales scales =
                ProductScales.of(weight, x.dtype(), QuantizedMath.perTensor(x).scale(), output.scale());
        return new QuantizedConvolutionOp(
                shape,
                ImageLayout.NCHW,
                weights(weight, scales),
                scales.bias(p.bias(), p.outputChannels()),
                scales.requantization(output.zeroPoint(), x.dtype(), relu),
                Support.quantization(x.dtype(), output));
    }

    private static Tensor linear(Lowered lowered, Object[] a, boolean relu) {
        Tensor x = Support.bytes(a, 0);
        LinearParams p = LinearParams.CLASS.unwrap(a, 1);
        Tensor weight = p.weight();
        Support.require(
                weight.dtype() == DType.QINT8 && x.rank() >= 1 && x.size(-1) == weight.size(1),
                "rows as wide as the matrix");
        Quantization.PerTensor output = output(a);
        ProductScales scales =
                ProductScales.of(weight, x.dtype(), QuantizedMath.perTensor(x).scale(), output.scale());
        int[] sizes = x.sizes().clone();
        sizes[sizes.length - 1] = weight.size(0);
        return lowered.compute(
                new QuantizedLinearOp(
                        weight.size(1),
                        weight.size(0),
                        weights(weight, scales),
                        scales.bias(p.bias(), weight.size(0)),
                        scales.requantization(output.zeroPoint(), x.dtype(), relu),
                        Support.quantization(x.dtype(), output)),
                Lowered.tensor(x.dtype(), output, sizes),
                x);
    }

    /** Of one memory the same object as long as a plan has it, so that a new shape copies nothing. */
    static QuantizedWeights weights(Tensor weight, ProductScales scales) {
        WeightsOrigin origin = TensorWeights.origin(weight);
        List<Integer> zeroPoints = Arrays.stream(scales.zeroPoints()).boxed().collect(Streams.toList());
        Known key = new Known(origin, zeroPoints);
        QuantizedWeights weights = known(key);
        if (weights != null) {
            return weights;
        }
        // Read outside the lock; of two threads that do, both plans are right.
        QuantizedWeights made = made(weight, scales, origin);
        synchronized (KNOWN) {
            KNOWN.values().removeIf(other -> other.get() == null);
            KNOWN.put(key, new WeakReference<>(made));
        }
        return made;
    }

    private static QuantizedWeights known(Known key) {
        synchronized (KNOWN) {
            WeakReference<QuantizedWeights> known = KNOWN.get(key);
            return known == null ? null : known.get();
        }
    }

    private static QuantizedWeights made(Tensor weight, ProductScales scales, WeightsOrigin origin) {
        Tensor dense = ImageCopies.contiguous(Support.unretained(weight), MemoryFormat.CONTIGUOUS);
        byte[] all = dense.storage().byteArray();
        int from = dense.offset();
        int count = (int) dense.numel();
        boolean own = dense.storage() != weight.storage() && from == 0 && all.length == count;
        return new QuantizedWeights(
                own ? all : Arrays.copyOfRange(all, from, from + count),
                weight.dtype() == DType.QINT8,
                scales.zeroPoints(),
                origin);
    }
}
