package org.torchnnapi.execution.tracing.lower;

import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.program.op.BinaryTableOp;
import org.torchnnapi.program.op.TableOp;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/**
 * Operators on single bytes as tables, filled by the operator's own kernel from all bytes there are, so that no bit
 * differs.
 */
final class ByteFunctions {
    private ByteFunctions() {}

    /** A clamp of the tensor at argument {@code i}. */
    static Tensor limited(Lowered lowered, Object[] args, int i) {
        // A clamp of channels-last bytes moves elements (see Quantized.clamp), so only of row-major ones it is a
        // function of each byte.
        Support.require(Support.bytes(args, i).isContiguous(), "row-major bytes");
        return unary(lowered, args, i);
    }

    /** A function of the tensor at argument {@code i}. */
    static Tensor unary(Lowered lowered, Object[] args, int i) {
        Tensor x = Support.bytes(args, i);
        Object[] all = args.clone();
        all[i] = Support.allBytes(x, 256);
        return unary(lowered, x, (Tensor) lowered.kernel(all));
    }

    /** @param results of all bytes, by their unsigned value */
    static Tensor unary(Lowered lowered, Tensor x, Tensor results) {
        Support.require(
                Support.isBytes(results)
                        && results.dtype() == x.dtype()
                        && results.numel() == 256
                        && results.isContiguous(),
                "bytes for bytes");
        byte[] table = results.storage().byteArray().clone();
        return lowered.compute(
                new TableOp(table, Support.quantization(results)),
                Support.like(x, x.dtype(), results.quantization()),
                x);
    }

    /** A function of the tensors at arguments 0 and 1. */
    static Tensor binary(Lowered lowered, Object[] args) {
        Tensor x = Support.bytes(args, 0);
        Tensor y = Support.bytes(args, 1);
        Support.require(x.dtype() == y.dtype(), "bytes of one type");
        Object[] all = args.clone();
        all[0] = Support.allBytes(x, 256, 1);
        all[1] = Support.allBytes(y, 1, 256);
        Tensor results = ((Tensor) lowered.kernel(all)).contiguous();
        DType type = x.dtype();
        int[] sizes = BroadcastShapes.shape(x.sizes(), y.sizes());
        return lowered.compute(
                new BinaryTableOp(results.storage().byteArray().clone(), Support.quantization(results)),
                Lowered.tensor(type, results.quantization(), sizes, MemoryOrder.resultStrides(sizes, x, y)),
                x,
                y);
    }
}
