package org.torchnnapi.operators.shape;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.torchnnapi.operators.AxisMap;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Stands in for operators that take long, whose results' shapes are told easily: of samples only the shapes count, and
 * zeros do as well as sums of products.
 */
public final class SampleShapes {
    /** So many elements are computed as soon as their shape is told. */
    private static final int LARGE = 1 << 12;
    /** How wide strips are, in which most windows fit. */
    private static final int NARROW = 48;
    /** How many dimensions an operator's windows have. */
    private static final Pattern DIMENSIONS = Pattern.compile("([123])d");

    private SampleShapes() {}

    /**
     * Zeros of the shapes of the node's results, or null where they are to be computed; of one that writes to its first
     * argument, that.
     */
    public static Object zeros(Node node, Operator operator, Object[] arguments) {
        if (arguments.length > 0
                && arguments[0] instanceof Tensor in
                && in.dtype() == DType.FLOAT32
                && in.numel() > LARGE) {
            if (operator.schema().isMutating()) {
                boolean itself = OperatorTrait.ELEMENTWISE.of(operator.schema())
                        && operator.schema().arguments().get(0).mutated()
                        && operator.schema().returns().size() == 1
                        && Arrays.stream(arguments).skip(1).noneMatch(Tensor.class::isInstance);
                return itself ? in : null;
            }
            if (OperatorTrait.ELEMENTWISE.of(operator.schema())) {
                return elementwise(operator, arguments);
            }
            if (OperatorTrait.KEEPS_SHAPE.of(operator.schema())
                    && operator.schema().returns().size() == 1
                    && operator.schema().returns().get(0).alias() == null) {
                return zeros(DType.FLOAT32, in.sizes());
            }
            if (OperatorTrait.MIXES_ALONG.of(operator.schema()) && in.isContiguous()) {
                return rows(operator, arguments, in);
            }
            Matcher name = DIMENSIONS.matcher(node.kind());
            if (OperatorTrait.SPATIAL.of(operator.schema())
                    && Arrays.stream(arguments).skip(1).noneMatch(Tensor.class::isInstance)
                    && name.find()) {
                return planes(operator, arguments, in, in.rank() - Integer.parseInt(name.group(1)));
            }
        }
        return isProduct(operator.schema()) || OperatorTrait.JOINS.of(operator.schema())
                ? ofAxes(operator, arguments)
                : null;
    }

    /** By what is known of the operator; null unless all is float32, and of what joins little. */
    private static Tensor ofAxes(Operator operator, Object... arguments) {
        AxisMap map = operator.schema().returns().size() == 1 ? AxisMap.of(operator, arguments) : null;
        boolean plain = map != null
                && map.operands().stream()
                        .map(operand -> operand.item() < 0
                                ? arguments[operand.argument()]
                                : ((ScriptList) arguments[operand.argument()])
                                        .items()
                                        .get(operand.item()))
                        .allMatch(tensor -> ((Tensor) tensor).dtype() == DType.FLOAT32);
        long count = plain ? Arrays.stream(map.sizes()).asLongStream().reduce(1, (a, b) -> a * b) : 0;
        return plain && (count > LARGE || isProduct(operator.schema())) && count <= Integer.MAX_VALUE
                ? zeros(DType.FLOAT32, map.sizes())
                : null;
    }

    /** Takes no memory as long as nobody computes with it. */
    private static Tensor zeros(DType dtype, int... sizes) {
        return new Tensor(
                Storage.deferredZeros(dtype, Shape.numel(sizes)), 0, sizes, Shape.contiguousStrides(sizes), null);
    }

    /** Whether that sums products of elements, which takes longest, and zeros stand in for them. */
    public static boolean isProduct(FunctionSchema schema) {
        return OperatorTrait.CONVOLVES.of(schema)
                || OperatorTrait.MULTIPLIES_MATRICES.of(schema)
                || OperatorTrait.POOLS_REGIONS.of(schema);
    }

    /** What the dtype of a result is, one element tells. */
    private static Tensor elementwise(Operator operator, Object[] arguments) {
        Object[] single = arguments.clone();
        int[] shape = new int[0];
        for (int i = 0; i < single.length; i++) {
            if (arguments[i] instanceof Tensor tensor) {
                if (tensor.quantization() != null || tensor.numel() == 0) {
                    return null;
                }
                int[] ones = new int[tensor.rank()];
                Arrays.fill(ones, 1);
                single[i] = new Tensor(
                        Storage.ofBytes(
                                tensor.dtype(), ByteBuffer.wrap(tensor.storage().bytesOf(tensor.offset()))),
                        0,
                        ones,
                        ones,
                        null);
                shape = BroadcastShapes.shape(shape, tensor.sizes());
            } else if (arguments[i] instanceof ScriptList) {
                return null;
            }
        }
        return operator.kernel().call(single) instanceof Tensor result
                        && result.numel() == 1
                        && result.rank() == shape.length
                        && result.quantization() == null
                ? zeros(result.dtype(), shape).asStrided(shape, MemoryOrder.resultStrides(shape, tensors(arguments)), 0)
                : null;
    }

    private static Tensor[] tensors(Object... arguments) {
        return Arrays.stream(arguments)
                .filter(argument -> argument instanceof Tensor)
                .toArray(Tensor[]::new);
    }

    /** Where the elements along one dimension are mixed, one row tells the shapes of all. */
    private static Object rows(Operator operator, Object[] arguments, Tensor in) {
        int at = operator.schema().indexOf("dim");
        if (at < 0
                || !(arguments[at] instanceof Long dim)
                || dim < -in.rank()
                || dim >= in.rank()
                || Arrays.stream(arguments).skip(1).anyMatch(Tensor.class::isInstance)) {
            return null;
        }
        int along = (int) Math.floorMod(dim, (long) in.rank());
        int[] row = new int[in.rank()];
        Arrays.fill(row, 1);
        row[along] = in.size(along);
        Tensor[] results = ofPlane(operator, arguments, in, row);
        if (results == null) {
            return null;
        }
        Object[] made = new Object[results.length];
        for (int i = 0; i < made.length; i++) {
            int[] shape = in.sizes().clone();
            shape[along] = results[i].size(along);
            made[i] = zeros(results[i].dtype(), shape);
        }
        return made.length == 1 ? made[0] : made;
    }

    /** Windows move over each plane alike, and so does what resizes: of the first one the others' shapes are known. */
    private static Object planes(Operator operator, Object[] arguments, Tensor in, int outer) {
        if (outer < 0) {
            return null;
        }
        int[] single = in.sizes().clone();
        Arrays.fill(single, 0, outer, 1);
        Tensor[] results = null;
        if (Shape.numel(single) > LARGE) {
            results = strips(operator, arguments, in, single, outer);
        }
        if (results == null) {
            results = ofPlane(operator, arguments, in, single);
        }
        if (results == null) {
            return null;
        }
        Object[] made = new Object[results.length];
        for (int i = 0; i < made.length; i++) {
            int[] shape = results[i].sizes().clone();
            System.arraycopy(in.sizes(), 0, shape, 0, outer);
            made[i] = zeros(results[i].dtype(), shape);
        }
        return made.length == 1 ? made[0] : made;
    }

    /**
     * Each size of a result follows from that of the plane in the same dimension: a narrow strip along the dimension
     * tells it. Null where strips are too narrow.
     */
    private static Tensor[] strips(Operator operator, Object[] arguments, Tensor in, int[] plane, int outer) {
        Tensor[] results = null;
        int[][] shapes = null;
        for (int d = outer; d < plane.length; d++) {
            int[] strip = plane.clone();
            for (int other = outer; other < strip.length; other++) {
                strip[other] = other == d ? strip[other] : Math.min(strip[other], NARROW);
            }
            try {
                results = ofPlane(operator, arguments, in, strip);
            } catch (IllegalArgumentException e) {
                return null;
            }
            if (results == null) {
                return null;
            }
            shapes = shapes == null ? new int[results.length][plane.length] : shapes;
            for (int i = 0; i < results.length; i++) {
                shapes[i][d] = results[i].size(d);
                Arrays.fill(shapes[i], 0, outer, 1);
            }
        }
        for (int i = 0; results != null && i < results.length; i++) {
            results[i] = zeros(results[i].dtype(), shapes[i]);
        }
        return results;
    }

    private static Tensor[] ofPlane(Operator operator, Object[] arguments, Tensor in, int... sizes) {
        Object[] first = arguments.clone();
        first[0] = zeros(in.dtype(), sizes);
        Object result = operator.kernel().call(first);
        Object[] results = result instanceof Object[] several ? several : new Object[] {result};
        return Arrays.stream(results).allMatch(one -> one instanceof Tensor plane && plane.rank() == in.rank())
                ? Arrays.stream(results).map(Tensor.class::cast).toArray(Tensor[]::new)
                : null;
    }
}
