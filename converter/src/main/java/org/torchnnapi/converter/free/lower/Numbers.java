package org.torchnnapi.converter.free.lower;

import org.torchnnapi.converter.lower.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Numbers and truth values that branches and loops compute, as tensors of one element. */
public final class Numbers {
    private Numbers() {
    }

    static boolean isNumber(Type type) {
        return type == Type.Basic.INT || type == Type.Basic.FLOAT || type == Type.Basic.BOOL || type == Type.Basic.NUMBER;
    }

    /** A number that is known at conversion. */
    static Term constant(Object value, NetBuilder net) {
        if (value instanceof Boolean flag) {
            return net.truth(flag);
        }
        if (value instanceof Long whole) {
            return net.indices((int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, whole)));
        }
        if (value instanceof Double real) {
            return net.number(real);
        }
        throw new Refused("numbers in branches and loops are ints, floats and bools", String.valueOf(value), "a number", "");
    }

    /** A tensor of one element as a truth value. */
    static Term truth(Term term, NetBuilder net) {
        if (term.count() != 1) {
            throw new Refused("conditions have one element", term.toString(), "a tensor of one element", "");
        }
        Term one = term.rank() == 1 ? term : net.reshape(term, 1);
        return net.cast(one, OperandType.TENSOR_BOOL8);
    }

    /** @throws Refused if there is no NNAPI operation for what a node does with numbers */
    static Term lower(Node node, Scope scope) {
        NetBuilder net = scope.net();
        return switch (node.kind()) {
            case "aten::Bool" -> truth(operand(node.input(0), scope), net);
            case "aten::Int", "aten::IntImplicit" -> net.cast(single(node.input(0), scope), OperandType.TENSOR_INT32);
            case "aten::Float", "aten::FloatImplicit" -> net.cast(single(node.input(0), scope), OperandType.TENSOR_FLOAT32);
            case "aten::item", "aten::ScalarImplicit" -> single(node.input(0), scope);
            case "aten::lt" -> compared(node, scope, OperationType.LESS);
            case "aten::le" -> compared(node, scope, OperationType.LESS_EQUAL);
            case "aten::gt" -> compared(node, scope, OperationType.GREATER);
            case "aten::ge" -> compared(node, scope, OperationType.GREATER_EQUAL);
            case "aten::eq" -> compared(node, scope, OperationType.EQUAL);
            case "aten::ne" -> compared(node, scope, OperationType.NOT_EQUAL);
            case "aten::__and__" -> net.test(OperationType.LOGICAL_AND, truth(operand(node.input(0), scope), net), truth(operand(node.input(1), scope), net));
            case "aten::__or__" -> net.test(OperationType.LOGICAL_OR, truth(operand(node.input(0), scope), net), truth(operand(node.input(1), scope), net));
            case "aten::__not__" -> net.unary(OperationType.LOGICAL_NOT, truth(operand(node.input(0), scope), net));
            case "aten::add" -> computed(node, scope, OperationType.ADD);
            case "aten::sub" -> computed(node, scope, OperationType.SUB);
            case "aten::mul" -> computed(node, scope, OperationType.MUL);
            default -> throw new Refused("numbers in branches and loops are added, multiplied and compared", node.kind(), "arithmetic, comparisons and logic",
                "compute with tensors instead");
        };
    }

    private static Term operand(Value value, Scope scope) {
        return value.type() == Type.Basic.TENSOR ? scope.plain(value) : scope.computedNumber(value);
    }

    private static Term single(Value value, Scope scope) {
        Term term = operand(value, scope);
        if (term.count() != 1) {
            throw new Refused("numbers are tensors of one element", term.toString(), "one element", "");
        }
        return term.rank() == 1 ? term : scope.net().reshape(term, 1);
    }

    private static Term compared(Node node, Scope scope, OperationType type) {
        Term[] both = common(node, scope);
        return scope.net().test(type, both[0], both[1]);
    }

    private static Term computed(Node node, Scope scope, OperationType type) {
        Term[] both = common(node, scope);
        return scope.net().arithmetic(type, both[0], both[1]);
    }

    private static Term[] common(Node node, Scope scope) {
        Term a = single(node.input(0), scope);
        Term b = single(node.input(1), scope);
        OperandType type = a.type() == OperandType.TENSOR_FLOAT32 || b.type() == OperandType.TENSOR_FLOAT32 ? OperandType.TENSOR_FLOAT32 : OperandType.TENSOR_INT32;
        return new Term[] {scope.net().cast(a, type), scope.net().cast(b, type)};
    }
}
