package org.torchnnapi.converter.partition;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.operators.shape.SizeExpressionInference;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.support.TensorBytes;

/**
 * One NNAPI model for inputs of any size, made of those for several: what differs among its words follows from the
 * sizes, or operations are told of which it does not.
 */
final class SizedModel {
    /** How many of the other models' weights are compared element by element; sizes are of all. */
    private static final int COMPARED = 2;

    private static final int WORD = 4;

    private final List<LoweredSegment> segments;
    /** Numbers of operations that depend on the sizes in another way than by numbers that follow from them, and how. */
    private final Map<Integer, String> unfit = new TreeMap<>();

    private List<ModelAssembler> models;
    private SerializedModel serialized;
    private List<int[]> words;
    private int[] firstReader;
    private boolean otherForms;
    private int unlike;
    private Map<Integer, OpenShapes.Fill> fills;
    private final Map<Integer, Formula> numbers = new HashMap<>();
    private final Map<Integer, RealFormula> reals = new HashMap<>();
    private final List<OpenShapes.Result> results = new ArrayList<>();

    /** @param segments one a sample, each other's twins */
    SizedModel(List<LoweredSegment> segments) {
        this.segments = segments;
    }

    /** @return whether all of it follows from the sizes; otherwise {@link #unfit} is not empty */
    boolean fit(SizeExpressionInference fit) {
        try {
            models = ModelAssembler.aligned(
                    segments.stream().map(segment -> segment.model().model()).collect(Streams.toList()));
        } catch (ModelAssembler.Unaligned e) {
            unfit.put(e.operation(), e.getMessage());
            unlike = e.model();
            otherForms = true;
            return false;
        }
        List<LoweredModel> lowered = models.stream().map(this::lowered).collect(Streams.toList());
        words = lowered.stream()
                .map(model -> SerializedModelEncoder.words(model))
                .collect(Streams.toList());
        serialized = new SerializedModel(words.get(0), List.of());
        readers();
        weights();
        Map<Integer, Integer> stored = storedAt();
        Map<Integer, ModelAssembler.Constant> constants = new HashMap<>();
        models.get(0).constants().forEach(constant -> constants.put(constant.operand(), constant));
        Map<Integer, List<Formula>> sizes = new HashMap<>();
        for (int id = 0; id < models.get(0).operands().size(); id++) {
            TensorOperand operand = models.get(0).operand(id);
            List<Formula> own = new ArrayList<>();
            for (int d = 0; d < operand.rank(); d++) {
                own.add(number(serialized.dimensionOffset(id) + d, id, guesses(id, d, sizes), fit));
            }
            sizes.put(id, own);
            ModelAssembler.Constant constant = constants.get(id);
            if (constant == null) {
                continue;
            }
            int count = constant.bytes() == null ? 3 : (constant.bytes().length + WORD - 1) / WORD;
            for (int w = 0; w < count; w++) {
                if (constant.bytes() != null
                        && (operand.type() == OperandType.FLOAT32 || operand.type() == OperandType.TENSOR_FLOAT32)) {
                    real(stored.get(id) + w, id, fit);
                } else {
                    number(stored.get(id) + w, id, List.of(), fit);
                }
            }
        }
        fillSizes(sizes);
        results(fit);
        return unfit.isEmpty();
    }

    /** Operations that NNAPI is not to compute for open sizes, and why. */
    Map<Integer, String> unfit() {
        return unfit;
    }

    /**
     * The number of a sample whose operation at the place of an {@link #unfit} one is another; 0 where operations are
     * the same.
     */
    int unlike() {
        return unlike;
    }

    /** Whether the samples differ in operations or tables, which more of them would too. */
    boolean hasOtherForms() {
        return otherForms;
    }

    /** The model for the first sample, whose words the {@link #shapes} are about. */
    LoweredModel model() {
        List<int[]> sizes = new ArrayList<>();
        for (int output : models.get(0).outputs()) {
            int[] own = new int[models.get(0).operand(output).rank()];
            Arrays.setAll(own, d -> models.get(0).operand(output).size(d));
            Arrays.setAll(
                    own,
                    d -> models.stream().allMatch(model -> model.operand(output).size(d) == own[d]) ? own[d] : 0);
            sizes.add(own);
        }
        return lowered(models.get(0)).withOutputSizes(sizes);
    }

    OpenShapes shapes(List<OpenShapes.OpenSize> read, int most) {
        return new OpenShapes(read, numbers, reals, results, fills, most);
    }

    private LoweredModel lowered(ModelAssembler model) {
        LoweredModel like = segments.get(0).model();
        return new LoweredModel(model, like.inputLayouts(), like.outputLayouts(), like.results(), like.returned());
    }

    /** Of each operand the first operation that has it. */
    private void readers() {
        firstReader = new int[models.get(0).operands().size()];
        Arrays.fill(firstReader, Math.max(0, models.get(0).operations().size() - 1));
        for (int i = models.get(0).operations().size() - 1; i >= 0; i--) {
            ModelAssembler.AssembledOperation operation =
                    models.get(0).operations().get(i);
            for (int id : operation.inputs()) {
                firstReader[id] = i;
            }
            for (int id : operation.outputs()) {
                firstReader[id] = i;
            }
        }
    }

    private void weights() {
        fills = new TreeMap<>();
        for (ModelAssembler.Constant constant : models.get(0).constants()) {
            if (constant.bytes() != null) {
                continue;
            }
            Tensor weight = models.get(0).weights().get(constant.buffer());
            for (int m = 1; m < models.size(); m++) {
                Tensor other = models.get(m).weights().get(constant.buffer());
                boolean equal = weight == other
                        || Arrays.equals(weight.sizes(), other.sizes())
                                && (m > COMPARED || TensorBytes.areEqual(weight, other));
                if (equal) {
                    continue;
                }
                if (isOfOneValue(weight)
                        && isOfOneValue(other)
                        && firstBytes(weight).equals(firstBytes(other))) {
                    fills.put(constant.buffer(), new OpenShapes.Fill(List.of()));
                } else {
                    otherForms = true;
                    unfit.put(
                            firstReader[constant.operand()],
                            "a table of " + Arrays.toString(weight.sizes()) + ", for other sizes of "
                                    + Arrays.toString(other.sizes()));
                }
            }
        }
    }

    private static boolean isOfOneValue(Tensor tensor) {
        ByteBuffer all = tensor.arranged().contiguous().storage().view();
        int size = tensor.dtype().bytes();
        for (int i = size; i < all.limit(); i++) {
            if (all.get(i) != all.get(i - size)) {
                return false;
            }
        }
        return true;
    }

    private static ByteBuffer firstBytes(Tensor tensor) {
        ByteBuffer all = tensor.arranged().contiguous().storage().view().duplicate();
        ((Buffer) all).limit(tensor.dtype().bytes());
        return all;
    }

    private void fillSizes(Map<Integer, List<Formula>> sizes) {
        for (ModelAssembler.Constant constant : models.get(0).constants()) {
            if (constant.bytes() == null
                    && fills.containsKey(constant.buffer())
                    && !sizes.get(constant.operand()).contains(null)) {
                fills.put(constant.buffer(), new OpenShapes.Fill(sizes.get(constant.operand())));
            }
        }
    }

    /** Positions of constants' words, by operand. */
    private Map<Integer, Integer> storedAt() {
        Map<Integer, Integer> at = new HashMap<>();
        ModelAssembler model = models.get(0);
        int last = model.operands().size() - 1;
        int next = last < 0
                ? 0
                : serialized.dimensionOffset(last) + model.operand(last).rank();
        for (ModelAssembler.Constant constant : model.constants()) {
            at.put(constant.operand(), next);
            next += constant.bytes() == null ? 3 : (constant.bytes().length + WORD - 1) / WORD;
        }
        return at;
    }

    private int[] row(int position) {
        return words.stream().mapToInt(model -> model[position]).toArray();
    }

    /** A number among the words; null where none was found. */
    private Formula number(int position, int operand, List<Formula> guesses, SizeExpressionInference fit) {
        int[] row = row(position);
        if (guesses.isEmpty() && Arrays.stream(row).allMatch(value -> value == row[0])) {
            return new Formula.Number(row[0]);
        }
        Formula found = fit.of(Arrays.stream(row).asLongStream().toArray(), guesses);
        if (found == null) {
            unfit.putIfAbsent(
                    firstReader[operand],
                    "a number that is " + Arrays.toString(row) + " for the sizes that were tried");
        } else if (!(found instanceof Formula.Number)) {
            numbers.put(position, found);
        }
        return found;
    }

    private void real(int position, int operand, SizeExpressionInference fit) {
        int[] row = row(position);
        if (Arrays.stream(row).allMatch(value -> value == row[0])) {
            return;
        }
        double[] values = Arrays.stream(row).mapToDouble(Float::intBitsToFloat).toArray();
        RealFormula found = fit.real(values, true);
        if (found == null) {
            unfit.putIfAbsent(
                    firstReader[operand],
                    "a number that is " + Arrays.toString(values) + " for the sizes that were tried");
        } else {
            reals.put(position, found);
        }
    }

    private static List<OutputTemplate> templates(LoweredSegment segment) {
        return segment.model().model().templates();
    }

    private void results(SizeExpressionInference fit) {
        List<OutputTemplate> first = templates(segments.get(0));
        for (int i = 0; i < first.size(); i++) {
            List<Formula> sizes = new ArrayList<>();
            for (int d = 0; d < first.get(i).sizes().length; d++) {
                int result = i;
                int dimension = d;
                long[] row = segments.stream()
                        .mapToLong(segment -> templates(segment).get(result).sizes()[dimension])
                        .toArray();
                Formula found = fit.of(row, List.of());
                if (found == null) {
                    unfit.putIfAbsent(
                            firstReader[models.get(0).outputs().get(i)],
                            "a result's size that is " + Arrays.toString(row) + " for the sizes that were tried");
                }
                sizes.add(found);
            }
            if (!sizes.contains(null)) {
                results.add(new OpenShapes.Result(
                        first.get(i).dtype(),
                        sizes,
                        first.get(i).scale(),
                        first.get(i).zeroPoint()));
            }
        }
    }

    /** What NNAPI's rule for windows makes of the size that an operation takes, where the operand is its result. */
    private List<Formula> guesses(int id, int dimension, Map<Integer, List<Formula>> sizes) {
        ModelAssembler.AssembledOperation operation = models.get(0).operations().isEmpty()
                ? null
                : models.get(0).operations().get(firstReader[id]);
        boolean isWindow = operation != null
                && operation.outputs()[0] == id
                && (dimension == 1 || dimension == 2)
                && models.get(0).operand(id).rank() == 4;
        Windows windows = isWindow ? Windows.of(operation, models.get(0)) : null;
        Formula from = windows == null ? null : sizes.get(operation.inputs()[0]).get(dimension);
        return from == null ? List.of() : List.of(windows.count(from, dimension == 1));
    }

    /** The windows of an operation whose numbers are the same for all sizes. */
    private record Windows(int[] before, int[] after, int[] steps, int[] extents, boolean isSame) {
        private static final int EXPLICIT = 10;

        static Windows of(ModelAssembler.AssembledOperation operation, ModelAssembler model) {
            boolean depthwise = operation.type() == OperationType.DEPTHWISE_CONV_2D;
            boolean grouped = operation.type() == OperationType.GROUPED_CONV_2D;
            boolean convolves = depthwise || grouped || operation.type() == OperationType.CONV_2D;
            boolean pools = operation.type() == OperationType.AVERAGE_POOL_2D
                    || operation.type() == OperationType.MAX_POOL_2D
                    || operation.type() == OperationType.L2_POOL_2D;
            if (!convolves && !pools) {
                return null;
            }
            int[] in = operation.inputs();
            int from = convolves ? 3 : 1;
            boolean explicit = in.length >= (depthwise ? EXPLICIT + 1 : grouped ? EXPLICIT + 2 : EXPLICIT);
            int steps = explicit ? from + 4 : from + 1;
            Map<Integer, Integer> scalars = new HashMap<>();
            for (ModelAssembler.Constant constant : model.constants()) {
                if (constant.bytes() != null
                        && model.operand(constant.operand()).type() == OperandType.INT32
                        && constant.bytes().length == WORD) {
                    scalars.put(
                            constant.operand(),
                            ByteBuffer.wrap(constant.bytes())
                                    .order(ByteOrder.LITTLE_ENDIAN)
                                    .getInt());
                }
            }
            int last = convolves ? steps + 2 : steps + 4;
            for (int i = from; i < last; i++) {
                if (!scalars.containsKey(in[i])) {
                    return null;
                }
            }
            int[] filter = convolves
                    ? model.operand(in[1]).layout().toNnapi(model.operand(in[1]).shape())
                    : new int[] {0, scalars.get(in[steps + 3]), scalars.get(in[steps + 2])};
            int[] stride = {scalars.get(in[steps + 1]), scalars.get(in[steps])};
            boolean same = !explicit && scalars.get(in[from]) == 1;
            int[] before = explicit ? new int[] {scalars.get(in[from + 2]), scalars.get(in[from])} : new int[2];
            int[] after = explicit ? new int[] {scalars.get(in[from + 3]), scalars.get(in[from + 1])} : new int[2];
            int dilation = steps + (depthwise ? 5 : 4);
            boolean dilated = convolves
                    && !grouped
                    && in.length > dilation + 1
                    && scalars.containsKey(in[dilation])
                    && scalars.containsKey(in[dilation + 1]);
            int[] extents = {filter[1], filter[2]};
            if (dilated) {
                extents = new int[] {
                    (filter[1] - 1) * scalars.get(in[dilation + 1]) + 1, (filter[2] - 1) * scalars.get(in[dilation]) + 1
                };
            }
            return new Windows(before, after, stride, extents, same);
        }

        Formula count(Formula size, boolean isHeight) {
            int k = isHeight ? 0 : 1;
            long room = isSame ? steps[k] - 1 : (long) before[k] + after[k] - extents[k] + steps[k];
            return Formula.over(Formula.plus(size, room), steps[k]);
        }
    }
}
