package org.torchnnapi.converter.free;

import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Stands in for operators that take long, whose results' shapes are told easily: of samples only the shapes count, and zeros do as
 * well as sums of products.
 */
final class SampleShapes {
    private SampleShapes() {
    }

    /** Zeros of the shape of the node's result, or null where it is to be computed. */
    static Tensor zeros(Node node, Object[] arguments) {
        return switch (node.kind()) {
            case "aten::conv1d", "aten::conv2d", "aten::conv3d" -> convolution(arguments);
            case "aten::_convolution", "aten::convolution" -> Boolean.FALSE.equals(arguments[6]) ? convolution(arguments) : null;
            case "aten::linear" -> linear(arguments);
            default -> null;
        };
    }

    private static Tensor convolution(Object[] arguments) {
        boolean known = arguments.length > 5 && arguments[0] instanceof Tensor && arguments[1] instanceof Tensor && arguments[3] instanceof ScriptList
            && arguments[4] instanceof ScriptList && arguments[5] instanceof ScriptList;
        if (!known) {
            return null;
        }
        Tensor in = (Tensor) arguments[0];
        Tensor weight = (Tensor) arguments[1];
        long[] stride = ((ScriptList) arguments[3]).toLongs();
        long[] padding = ((ScriptList) arguments[4]).toLongs();
        long[] dilation = ((ScriptList) arguments[5]).toLongs();
        if (in.rank() != weight.rank() || in.dtype() != DType.FLOAT32 || weight.dtype() != DType.FLOAT32) {
            return null;
        }
        int[] shape = in.sizes().clone();
        shape[1] = weight.size(0);
        for (int d = 2; d < shape.length; d++) {
            long step = at(stride, d - 2);
            long room = shape[d] + 2 * at(padding, d - 2) - at(dilation, d - 2) * (weight.size(d) - 1L) - 1;
            if (room < 0 || step < 1 || room / step >= Integer.MAX_VALUE) {
                return null;
            }
            shape[d] = (int) (room / step) + 1;
        }
        return Tensor.zeros(DType.FLOAT32, shape);
    }

    private static long at(long[] values, int index) {
        return values.length == 1 ? values[0] : values[index];
    }

    private static Tensor linear(Object[] arguments) {
        if (!(arguments[0] instanceof Tensor in) || !(arguments[1] instanceof Tensor weight) || in.rank() < 1 || weight.rank() != 2
            || in.dtype() != DType.FLOAT32 || weight.dtype() != DType.FLOAT32 || in.size(in.rank() - 1) != weight.size(1)) {
            return null;
        }
        int[] shape = in.sizes().clone();
        shape[shape.length - 1] = weight.size(0);
        return Tensor.zeros(DType.FLOAT32, shape);
    }
}
