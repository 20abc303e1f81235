package org.torchnnapi.exported.lowering;

import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Numbers and truth values that follow from elements, and that branches and loops alone are decided by: a program has
 * tensors of one element in their place. Confined to one thread.
 */
final class Decisions {
    /** What computes, compares and joins numbers, with the form of it on tensors. */
    private static final Map<String, String> FORMS = new HashMap<>();

    static {
        for (String name : new String[] {"lt", "le", "gt", "ge", "eq", "ne", "add", "sub", "mul"}) {
            FORMS.put("aten::" + name, "aten::" + name + ".Tensor");
        }
        FORMS.put("aten::Float", "aten::to.dtype");
        FORMS.put("aten::__not__", "aten::logical_not");
        FORMS.put("aten::__and__", "aten::logical_and");
        FORMS.put("aten::__or__", "aten::logical_or");
    }

    /** The tensors in the place of values of the run, as it is now. */
    private final Map<Value, Tensor> tensors = new IdentityHashMap<>();

    /** What a program has in the place of a value; null if the value is the same in each call. */
    Tensor of(Value value) {
        return tensors.get(value);
    }

    /** A tensor in the place of a value from now on. */
    void put(Value value, Tensor tensor) {
        tensors.put(value, tensor);
    }

    /** Whether a node makes such a value, or computes one from others. */
    boolean takes(ProgramRecorder recorder, Node node, Object[] given) {
        node.outputs().forEach(tensors::remove);
        if (node.outputs().size() != 1 || given.length == 0 || node.output().type() == Type.Basic.TENSOR) {
            return false;
        }
        boolean reads = given[0] instanceof Tensor tensor
                && given.length == 1
                && recorder.varies(tensor)
                && tensor.numel() == 1
                && isNumber(node, tensor);
        boolean computes =
                FORMS.containsKey(node.kind()) && node.inputs().stream().anyMatch(tensors::containsKey);
        return (reads || computes) && decidesOnly(node.output(), Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** Whether a number is the tensor's element, and not what is cut off from it. */
    private static boolean isNumber(Node node, Tensor tensor) {
        return OperatorTrait.ITEM.of(node)
                && !tensor.dtype().isComplex()
                && !(node.output().type() == Type.Basic.INT && tensor.dtype().isFloating());
    }

    /** Whether nothing but branches and loops use a value, or what is computed from it. */
    private static boolean decidesOnly(Value value, Set<Value> seen) {
        if (!seen.add(value)) {
            return true;
        }
        for (Value.Use use : value.uses()) {
            Node user = use.user();
            Block owner = user.owner();
            boolean only;
            if (owner != null && user == owner.returns()) {
                Node parent = owner.parent();
                only = parent != null
                        && (parent.is("prim::If") && decidesOnly(parent.output(use.index()), seen)
                                || parent.is("prim::Loop") && carriedOnly(parent, use.index(), seen));
            } else {
                only = user.is("prim::If")
                        || user.is("prim::Loop") && use.index() > 0 && carriedOnly(user, use.index() - 1, seen)
                        || FORMS.containsKey(user.kind()) && decidesOnly(user.output(), seen);
            }
            if (!only) {
                return false;
            }
        }
        return true;
    }

    /** Whether what a loop carries decides only; its condition, index 0, does. */
    private static boolean carriedOnly(Node loop, int index, Set<Value> seen) {
        return index == 0
                || decidesOnly(loop.blocks().get(0).parameters().get(index), seen)
                        && decidesOnly(loop.output(index - 1), seen);
    }

    /** Whether a value is a number or truth value that nothing but branches and loops use. */
    static boolean decides(Value value) {
        return (value.type() == Type.Basic.BOOL || value.type() == Type.Basic.INT || value.type() == Type.Basic.FLOAT)
                && decidesOnly(value, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** What a program has in the place of a value that it is to have a tensor for. */
    Tensor of(Value value, Object now) {
        Tensor known = tensors.get(value);
        return known == null ? tensor(now) : known;
    }

    /** Calls a node that {@link #takes} holds for, and records the same on tensors. */
    Object call(ProgramRecorder recorder, Node node, OperatorKernel kernel, Object[] given) {
        Tensor made;
        if (given[0] instanceof Tensor tensor) {
            made = read(recorder, node, tensor);
        } else {
            Object[] operands = new Object[given.length];
            for (int i = 0; i < given.length; i++) {
                Tensor known = tensors.get(node.input(i));
                operands[i] = known == null ? tensor(given[i]) : known;
            }
            made = node.is("aten::Float")
                    ? converted(recorder, node, (Tensor) operands[0], DType.FLOAT64)
                    : (Tensor) OperatorCalls.run(recorder, node, FORMS.get(node.kind()), operands);
        }
        tensors.put(node.output(), made);
        return kernel.call(given);
    }

    private static Tensor read(ProgramRecorder recorder, Node node, Tensor tensor) {
        Tensor one = tensor;
        if (tensor.rank() > 0) {
            one = (Tensor) OperatorCalls.run(recorder, node, "aten::reshape", tensor, ScriptList.ofInts());
        }
        if (node.output().type() == Type.Basic.BOOL) {
            return tensor.dtype() == DType.BOOL
                    ? one
                    : (Tensor) OperatorCalls.run(recorder, node, "aten::ne.Scalar", one, 0L);
        }
        // Numbers are compared as those of 64 bits that TorchScript has.
        boolean real = tensor.dtype().isFloating() || node.output().type() == Type.Basic.FLOAT;
        DType type = real ? DType.FLOAT64 : DType.INT64;
        return converted(recorder, node, one, type);
    }

    private static Tensor converted(ProgramRecorder recorder, Node node, Tensor tensor, DType type) {
        return type == tensor.dtype()
                ? tensor
                : (Tensor) OperatorCalls.run(
                        recorder, node, "aten::to.dtype", tensor, (long) type.code(), false, false, null);
    }

    /** A number or truth value as a tensor, which programs have as a constant. */
    static Tensor tensor(Object value) {
        if (value instanceof Tensor tensor) {
            return tensor;
        }
        if (value instanceof Long number) {
            return Tensor.of(new long[] {number});
        }
        return value instanceof Double real
                ? Tensor.of(DType.FLOAT64, new double[] {real})
                : Tensor.of(DType.BOOL, new byte[] {(byte) ((Boolean) value ? 1 : 0)});
    }
}
