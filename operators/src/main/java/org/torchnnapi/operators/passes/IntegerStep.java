package org.torchnnapi.operators.passes;

import java.util.List;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * A step from real numbers to integers on plain tensors, or back, by whichever library: {@code quantized_decomposed}
 * has one scale for all or one a channel, {@code torchao} one a block, whose sizes it is told.
 *
 * @param scale one, or a tensor of them
 * @param zeroPoint as many, or none
 */
record IntegerStep(Node node, boolean isBack, Value scale, Value zeroPoint) {
    /** In the place of a dimension where there is one scale for all. */
    static final int WHOLE = -1;
    /** In the place of a dimension where scales are of parts of rows, or of what is not known. */
    static final int PARTS = -2;

    private static final String DECOMPOSED = "quantized_decomposed::";
    private static final List<String> LIBRARIES = List.of(DECOMPOSED, "torchao::", "quant::");

    /** Whether an operator is one of those libraries'. */
    static boolean isOfLibrary(Node node) {
        return LIBRARIES.stream().anyMatch(node.kind()::startsWith);
    }

    /** Null if a node is none. */
    static IntegerStep of(Node node) {
        if (node == null || !isOfLibrary(node)) {
            return null;
        }
        String name = node.kind().substring(node.kind().indexOf("::") + 2);
        boolean back = name.startsWith("de");
        return switch (back ? name.substring(2) : name) {
            case "quantize_per_tensor", "quantize_per_channel", "quantize_affine" -> {
                boolean many = node.schema().indexOf("scales") >= 0;
                yield new IntegerStep(
                        node,
                        back,
                        node.input(node.schema().indexOf(many ? "scales" : "scale")),
                        node.input(node.schema().indexOf(many ? "zero_points" : "zero_point")));
            }
            default -> null;
        };
    }

    /** What makes scale and zero point of a tensor's own range; null if nothing does. */
    Node chosenBy() {
        Node chosen = scale.definition();
        return chosen != null
                        && chosen.is(DECOMPOSED + "choose_qparams")
                        && scale == chosen.output(0)
                        && zeroPoint == chosen.output(1)
                        && shift(chosen) != null
                ? chosen
                : null;
    }

    /** Integers of a step to them, real numbers of one back. */
    Value input() {
        return node.input(0);
    }

    /** Whether it gives float32, by integers that zero points are among. */
    boolean isPlain() {
        int type = node.schema().indexOf("out_dtype");
        type = type < 0 ? node.schema().indexOf("output_dtype") : type;
        int domain = node.schema().indexOf("zero_point_domain");
        return (!isBack
                        || type < 0
                        || Literals.isNone(node.input(type))
                        || Long.valueOf(DType.FLOAT32.code()).equals(Literals.orNull(node.input(type))))
                && (domain < 0 || "INT".equals(Literals.orNull(node.input(domain))));
    }

    /** Whether another step is the same, or the way back. */
    boolean isSame(IntegerStep other) {
        if (other == null || isDecomposed() != other.isDecomposed()) {
            return false;
        }
        int count = Math.min(node.inputs().size(), other.node.inputs().size());
        for (int i = 1; i < count; i++) {
            if (node.input(i) != other.node.input(i)
                    && !isSame(Literals.orNull(node.input(i)), Literals.orNull(other.node.input(i)))
                    && !(Literals.isNone(node.input(i)) && Literals.isNone(other.node.input(i)))) {
                return false;
            }
        }
        return true;
    }

    private boolean isDecomposed() {
        return node.kind().startsWith(DECOMPOSED);
    }

    private static boolean isSame(Object one, Object other) {
        return one != null
                && (one.equals(other) || number(one) != null && number(one).equals(number(other)));
    }

    /** The scale, where there is one that is known; else null. */
    Double oneScale() {
        return number(Literals.orNull(scale));
    }

    /** The zero point, where there is one that is known, or none; else null. */
    Double oneZeroPoint() {
        return Literals.isNone(zeroPoint) ? (Double) 0.0 : number(Literals.orNull(zeroPoint));
    }

    /**
     * What is added to integers to make them unsigned bytes; null where they have another range. One without -128, as
     * ranges around zero are, clips at most a quantum earlier.
     */
    Long shift() {
        return shift(node);
    }

    private static Long shift(Node node) {
        Double least = end(node, "quant_min");
        Double most = end(node, "quant_max");
        if (least == null || most == null) {
            return null;
        }
        boolean signed = (least == -128 || least == -127) && most == 127;
        return signed ? (Long) 128L : least == 0 && most == 255 ? (Long) 0L : null;
    }

    /** An end of the integers; that of their type where it is not told. */
    private static Double end(Node node, String name) {
        Value end = node.input(node.schema().indexOf(name));
        if (!Literals.isNone(end)) {
            return number(Literals.orNull(end));
        }
        for (String type : new String[] {"input_dtype", "output_dtype", "target_dtype"}) {
            int index = node.schema().indexOf(type);
            if (index >= 0 && Literals.orNull(node.input(index)) instanceof Long code) {
                boolean least = name.equals("quant_min");
                return code == DType.INT8.code()
                        ? (Double) (least ? -128.0 : 127)
                        : code == DType.UINT8.code() ? (Double) (least ? 0.0 : 255) : null;
            }
        }
        return null;
    }

    /** The dimension in which each place has a scale of its own, {@link #WHOLE} or {@link #PARTS}. */
    int axis(int... sizes) {
        if (oneScale() != null) {
            return WHOLE;
        }
        int axis = node.schema().indexOf("axis");
        if (axis >= 0) {
            return Literals.orNull(node.input(axis)) instanceof Long number
                    ? Math.floorMod(number.intValue(), sizes.length)
                    : PARTS;
        }
        int block = node.schema().indexOf("block_size");
        if (block < 0
                || !(Literals.orNull(node.input(block)) instanceof ScriptList list)
                || list.size() != sizes.length) {
            return PARTS;
        }
        int found = WHOLE;
        for (int i = 0; i < sizes.length; i++) {
            long length = ((Number) list.get(i)).longValue();
            if (length != sizes[i]) {
                if (found != WHOLE || length != 1) {
                    return PARTS;
                }
                found = i;
            }
        }
        return found;
    }

    /** A number that is known, also in a tensor of one element. */
    static Double number(Object value) {
        if (value instanceof Tensor tensor
                && tensor.numel() == 1
                && !tensor.dtype().isQuantized()) {
            return tensor.getDouble(0);
        }
        return value instanceof Number number ? (Double) number.doubleValue() : null;
    }
}
