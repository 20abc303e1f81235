package org.torchnnapi.converter.lower;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.driver.Evaluation;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;

/**
 * Functions of single bytes in NNAPI's operations on bytes, where accelerators have no real numbers. Nothing is
 * believed of a form: each is computed on the reference device for all 256 bytes there are, and of those that are
 * nowhere more than {@link ByteForm#MOST_QUANTA} off what PyTorch's operators give that is taken which is most often
 * right.
 */
final class ByteForms {
    /** A constant's byte, less its zero point, with which scales of powers of two stay such. */
    private static final int STEPS = 128;

    private static final Quantization.PerTensor LOGISTIC = new Quantization.PerTensor(1.0 / 256, 0);
    private static final Quantization.PerTensor TANH = new Quantization.PerTensor(1.0 / 128, 128);
    /** The normal distribution's function is near that of the logistic one of so much. */
    private static final double GELU = 1.702;
    /** The mean of the hyperbolic tangents of so much is within 0.011 of {@code exp(x) - 1} for all negative x. */
    private static final double[] EXPONENTIAL = {0.46, 1.275};

    /** Builds a form; null where NNAPI's rules for scales do not allow it. */
    private interface Form {
        OperandRef of(NnapiBuilder nnapi, OperandRef x);
    }

    private ByteForms() {}

    /**
     * Where a node that was lowered left the bytes for real numbers, lets its result be a form on bytes, if there is
     * one.
     *
     * @param before how many operations there were before it was lowered
     */
    static void lower(Node node, LoweringContext context, int before) {
        List<ModelAssembler.AssembledOperation> operations =
                context.nnapi().model().operations();
        if (context.nnapi().target().exact()
                || node.outputs().size() != 1
                || operations.subList(before, operations.size()).stream()
                        .noneMatch(operation -> operation.type() == OperationType.QUANTIZE)) {
            return;
        }
        ByteFunction function = ByteFunction.of(node, context);
        if (function == null) {
            return;
        }
        Form best = null;
        ByteForm found = null;
        for (Form form : forms(function)) {
            ByteForm made = tried(form, function, context.nnapi().target());
            if (made != null && made.isClose() && (found == null || made.differing() < found.differing())) {
                best = form;
                found = made;
            }
        }
        if (best != null) {
            int[] order = context.order(function.source());
            OperandRef out = best.of(context.nnapi(), context.in(function.source(), order));
            context.redefine(node.output(), out, order);
            if (!found.operations().isEmpty()) {
                context.nnapi().model().note(found);
            }
        }
    }

    /** What may fit, those of few operations first. */
    private static List<Form> forms(ByteFunction function) {
        Quantization.PerTensor out = function.out();
        List<Form> forms = new ArrayList<>();
        if (function.in().equals(out)) {
            forms.add((nnapi, x) -> x);
        }
        forms.add((nnapi, x) -> nnapi.requantized(OperationType.HARD_SWISH, x, out.scale(), out.zeroPoint()));
        for (int fuse : new int[] {FuseCode.NONE, FuseCode.RELU, FuseCode.RELU1, FuseCode.RELU6}) {
            forms.add((nnapi, x) -> plus(nnapi, x, 0, fuse, out));
        }
        forms.add((nnapi, x) ->
                nnapi.scaled(fixed(nnapi, OperationType.LOGISTIC, x, LOGISTIC), out.scale(), out.zeroPoint()));
        forms.add((nnapi, x) -> nnapi.scaled(fixed(nnapi, OperationType.TANH, x, TANH), out.scale(), out.zeroPoint()));
        for (double number : function.numbers()) {
            for (int fuse : new int[] {FuseCode.NONE, FuseCode.RELU}) {
                forms.add((nnapi, x) -> plus(nnapi, x, number, fuse, out));
                forms.add((nnapi, x) -> times(nnapi, x, number, fuse, out));
            }
            forms.add((nnapi, x) -> nnapi.result(
                    OperationType.PRELU,
                    nnapi.fresh(x.type(), out.scale(), out.zeroPoint(), x.dims()),
                    x.id(),
                    constant(nnapi, x, number).id()));
            forms.add((nnapi, x) -> sum(
                    nnapi,
                    times(nnapi, x, number, FuseCode.NONE, out),
                    times(nnapi, x, 1 - number, FuseCode.RELU, out),
                    out));
            forms.add((nnapi, x) -> exponential(nnapi, x, number, 1, out));
            if (number > 0 && number != 1) {
                forms.add((nnapi, x) -> exponential(nnapi, x, number, 1 / number, out));
            }
        }
        forms.add((nnapi, x) -> times(nnapi, shifted(nnapi, x, 6.0 / 256), 1.0 / 6, FuseCode.NONE, out));
        forms.add((nnapi, x) -> times(nnapi, shifted(nnapi, x, 6.0 / 255), 1.0 / 6, FuseCode.NONE, out));
        forms.add((nnapi, x) -> product(nnapi, x, fixed(nnapi, OperationType.LOGISTIC, x, LOGISTIC), out));
        forms.add((nnapi, x) -> product(
                nnapi,
                x,
                times(
                        nnapi,
                        shifted(nnapi, x, 6.0 / 255),
                        1.0 / 6,
                        FuseCode.NONE,
                        new Quantization.PerTensor(1.0 / 255, 0)),
                out));
        forms.add((nnapi, x) -> product(
                nnapi,
                x,
                fixed(
                        nnapi,
                        OperationType.LOGISTIC,
                        times(
                                nnapi,
                                x,
                                GELU,
                                FuseCode.NONE,
                                new Quantization.PerTensor(x.scale() * GELU, x.zeroPoint())),
                        LOGISTIC),
                out));
        return forms;
    }

    // Parts of forms; each is null where a part of it is.

    /** {@code min(6, max(0, x + 3))}. */
    private static OperandRef shifted(NnapiBuilder nnapi, OperandRef x, double scale) {
        return plus(nnapi, x, 3, FuseCode.RELU6, new Quantization.PerTensor(scale, 0));
    }

    /** {@code max(0, x) + factor * (exp(inner * min(0, x)) - 1)}; scales are such that only tangents and sum round. */
    private static OperandRef exponential(
            NnapiBuilder nnapi, OperandRef x, double factor, double inner, Quantization.PerTensor out) {
        OperandRef[] tangents = new OperandRef[EXPONENTIAL.length];
        for (int i = 0; i < tangents.length; i++) {
            double slope = inner * EXPONENTIAL[i];
            // What is positive saturates at 0.
            Quantization.PerTensor negative = new Quantization.PerTensor(x.scale() * slope, ByteForm.BYTES - 1);
            tangents[i] = fixed(nnapi, OperationType.TANH, times(nnapi, x, slope, FuseCode.NONE, negative), TANH);
        }
        OperandRef twice =
                sum(nnapi, tangents[0], tangents[1], new Quantization.PerTensor(TANH.scale(), ByteForm.BYTES - 1));
        OperandRef negative = times(
                nnapi,
                twice,
                factor / 2,
                FuseCode.NONE,
                new Quantization.PerTensor(TANH.scale() * Math.abs(factor) / 2, factor < 0 ? 0 : ByteForm.BYTES - 1));
        OperandRef positive = plus(nnapi, x, 0, FuseCode.RELU, new Quantization.PerTensor(x.scale(), x.zeroPoint()));
        return sum(nnapi, positive, negative, out);
    }

    private static OperandRef fixed(NnapiBuilder nnapi, OperationType type, OperandRef x, Quantization.PerTensor own) {
        return x == null ? null : nnapi.requantized(type, x, own.scale(), own.zeroPoint());
    }

    private static OperandRef plus(
            NnapiBuilder nnapi, OperandRef x, double number, int fuse, Quantization.PerTensor out) {
        return nnapi.arithmetic(OperationType.ADD, x, constant(nnapi, x, number), fuse, out.scale(), out.zeroPoint());
    }

    /** Bytes times a number, as bytes of another scale; null where that is too small. */
    static OperandRef times(NnapiBuilder nnapi, OperandRef x, double number, double scale, int zeroPoint) {
        return times(nnapi, x, number, FuseCode.NONE, new Quantization.PerTensor(scale, zeroPoint));
    }

    private static OperandRef times(
            NnapiBuilder nnapi, OperandRef x, double number, int fuse, Quantization.PerTensor out) {
        return multiplied(nnapi, x, constant(nnapi, x, number), fuse, out);
    }

    private static OperandRef product(NnapiBuilder nnapi, OperandRef a, OperandRef b, Quantization.PerTensor out) {
        return b == null ? null : multiplied(nnapi, a, b, FuseCode.NONE, out);
    }

    /** NNAPI multiplies bytes where the result's scale is larger than the product of the others. */
    private static OperandRef multiplied(
            NnapiBuilder nnapi, OperandRef a, OperandRef b, int fuse, Quantization.PerTensor out) {
        return a == null || (float) out.scale() <= (double) (float) a.scale() * (float) b.scale()
                ? null
                : nnapi.arithmetic(OperationType.MUL, a, b, fuse, out.scale(), out.zeroPoint());
    }

    private static OperandRef sum(NnapiBuilder nnapi, OperandRef a, OperandRef b, Quantization.PerTensor out) {
        return a == null || b == null
                ? null
                : nnapi.arithmetic(OperationType.ADD, a, b, FuseCode.NONE, out.scale(), out.zeroPoint());
    }

    /** A number as a byte that stands for just that, of {@code x}'s rank. */
    private static OperandRef constant(NnapiBuilder nnapi, OperandRef x, double number) {
        int[] ones = Shapes.widened(x.rank());
        int steps = number > 0 ? STEPS : 0;
        Quantization.PerTensor q =
                new Quantization.PerTensor(number == 0 ? 1 : Math.abs(number) / STEPS, number < 0 ? STEPS : 0);
        return nnapi.stored(
                Tensor.of(DType.QUINT8, new byte[] {(byte) steps}, ones).withQuantization(q));
    }

    /** A form on all bytes; null where the target's release does not take it. */
    private static ByteForm tried(Form form, ByteFunction function, Target target) {
        NnapiBuilder nnapi = new NnapiBuilder(target);
        OperandRef x = nnapi.input(new TensorOperand(
                OperandType.TENSOR_QUANT8_ASYMM,
                new int[] {ByteForm.BYTES},
                OperandLayout.CONTIGUOUS,
                function.in().scale(),
                function.in().zeroPoint()));
        byte[] made;
        try {
            OperandRef out = form.of(nnapi, x);
            if (out == null) {
                return null;
            }
            if (out == x) {
                made = ByteForm.all(function.in()).storage().byteArray();
            } else {
                nnapi.model().addOutput(out.id());
                Model model = model(nnapi.model());
                if (!target.level().includes(model.featureLevelNeed().level())
                        || target.device() != null
                                && !target.device().refusals(model).isEmpty()) {
                    return null;
                }
                made = computed(model);
            }
        } catch (NnapiException | Refused | IllegalArgumentException unfit) {
            return null;
        }
        String operations = nnapi.model().operations().stream()
                .map(operation -> operation.type().name())
                .collect(Collectors.joining(", "));
        return new ByteForm(function.operators(), operations, function.in(), function.out(), function.results(), made);
    }

    private static Model model(ModelAssembler assembled) {
        ModelBuilder builder = new ModelBuilder();
        for (TensorOperand operand : assembled.operands()) {
            builder.addOperand(
                    operand.isQuantized()
                            ? OperandDescriptor.quantized(
                                    operand.type(), (float) operand.scale(), operand.zeroPoint(), operand.shape())
                            : operand.type().isTensor()
                                    ? OperandDescriptor.tensor(operand.type(), operand.shape())
                                    : OperandDescriptor.scalar(operand.type()));
        }
        for (ModelAssembler.Constant constant : assembled.constants()) {
            builder.setOperandValue(
                    constant.operand(),
                    ByteBuffer.wrap(
                            constant.bytes() != null
                                    ? constant.bytes()
                                    : assembled
                                            .weights()
                                            .get(constant.buffer())
                                            .storage()
                                            .byteArray()));
        }
        for (ModelAssembler.AssembledOperation operation : assembled.operations()) {
            builder.addOperation(operation.type(), operation.inputs(), operation.outputs());
        }
        builder.identifyInputsAndOutputs(
                assembled.inputs().stream().mapToInt(i -> i).toArray(),
                assembled.outputs().stream().mapToInt(i -> i).toArray());
        return builder.finish();
    }

    private static byte[] computed(Model model) {
        byte[] made = new byte[ByteForm.BYTES];
        ExecutionRequest request = new ExecutionRequest(model);
        request.setInput(
                0,
                ByteBuffer.wrap(
                        ByteForm.all(new Quantization.PerTensor(1, 0)).storage().byteArray()));
        request.setOutput(0, ByteBuffer.wrap(made));
        Evaluation.compute(model, request);
        return made;
    }
}
