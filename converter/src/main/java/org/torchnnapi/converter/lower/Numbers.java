package org.torchnnapi.converter.lower;

import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Numbers and truth values that branches and loops compute, as tensors of one element. */
public final class Numbers {
    private Numbers() {}

    static boolean isNumber(Type type) {
        return type == Type.Basic.INT
                || type == Type.Basic.FLOAT
                || type == Type.Basic.BOOL
                || type == Type.Basic.NUMBER;
    }

    /** A number that is known at conversion. */
    static OperandRef constant(Object value, NnapiBuilder nnapi) {
        if (value instanceof Boolean flag) {
            return nnapi.truth(flag);
        }
        if (value instanceof Long whole) {
            return nnapi.indices((int) Math.max(Integer.MIN_VALUE, Math.min(Integer.MAX_VALUE, whole)));
        }
        if (value instanceof Double real) {
            return nnapi.number(real);
        }
        throw new IllegalArgumentException("constant: " + value + " (expected: an int, a float or a bool)");
    }

    /** Why a value is no condition; null where it is one. */
    static Reason notCondition(Value value, LoweringContext context) {
        return value.type() != Type.Basic.TENSOR || context.facts(value).count() == 1
                ? null
                : new Reason("conditions have one element", context.facts(value).toString(), "a tensor of one element");
    }

    /** A tensor of one element as a truth value. */
    static OperandRef truth(OperandRef term, NnapiBuilder nnapi) {
        OperandRef one = term.rank() == 1 ? term : nnapi.reshape(term, 1);
        return nnapi.cast(one, OperandType.TENSOR_BOOL8);
    }

    /** Why NNAPI has no operation for what a node does with numbers; null where it has. */
    static Reason unsupported(Node node, LoweringContext context) {
        boolean logic = false;
        switch (node.kind()) {
            case "aten::Bool", "aten::__and__", "aten::__or__", "aten::__not__" -> logic = true;
            case "aten::Int",
                    "aten::IntImplicit",
                    "aten::Float",
                    "aten::FloatImplicit",
                    "aten::item",
                    "aten::ScalarImplicit",
                    "aten::lt",
                    "aten::le",
                    "aten::gt",
                    "aten::ge",
                    "aten::eq",
                    "aten::ne",
                    "aten::add",
                    "aten::sub",
                    "aten::mul" -> {}
            default -> {
                return new Reason(
                        "numbers in branches and loops are added, multiplied and compared",
                        node.kind(),
                        "arithmetic, comparisons and logic",
                        "compute with tensors instead");
            }
        }
        for (Value value : node.inputs()) {
            Reason many = notCondition(value, context);
            if (many != null) {
                return logic ? many : new Reason("numbers are tensors of one element", many.found(), "one element");
            }
        }
        return null;
    }

    /** @param node which is supported */
    static OperandRef lower(Node node, LoweringContext context) {
        NnapiBuilder nnapi = context.nnapi();
        return switch (node.kind()) {
            case "aten::Bool" -> truth(operand(node.input(0), context), nnapi);
            case "aten::Int", "aten::IntImplicit" ->
                nnapi.cast(single(node.input(0), context), OperandType.TENSOR_INT32);
            case "aten::Float", "aten::FloatImplicit" ->
                nnapi.cast(single(node.input(0), context), OperandType.TENSOR_FLOAT32);
            case "aten::item", "aten::ScalarImplicit" -> single(node.input(0), context);
            case "aten::lt" -> compared(node, context, OperationType.LESS);
            case "aten::le" -> compared(node, context, OperationType.LESS_EQUAL);
            case "aten::gt" -> compared(node, context, OperationType.GREATER);
            case "aten::ge" -> compared(node, context, OperationType.GREATER_EQUAL);
            case "aten::eq" -> compared(node, context, OperationType.EQUAL);
            case "aten::ne" -> compared(node, context, OperationType.NOT_EQUAL);
            case "aten::__and__" ->
                nnapi.test(
                        OperationType.LOGICAL_AND,
                        truth(operand(node.input(0), context), nnapi),
                        truth(operand(node.input(1), context), nnapi));
            case "aten::__or__" ->
                nnapi.test(
                        OperationType.LOGICAL_OR,
                        truth(operand(node.input(0), context), nnapi),
                        truth(operand(node.input(1), context), nnapi));
            case "aten::__not__" ->
                nnapi.unary(OperationType.LOGICAL_NOT, truth(operand(node.input(0), context), nnapi));
            case "aten::add" -> computed(node, context, OperationType.ADD);
            case "aten::sub" -> computed(node, context, OperationType.SUB);
            case "aten::mul" -> computed(node, context, OperationType.MUL);
            default -> throw new IllegalArgumentException("node: " + node.kind() + " (expected: a supported one)");
        };
    }

    private static OperandRef operand(Value value, LoweringContext context) {
        return value.type() == Type.Basic.TENSOR ? context.plain(value) : context.computedNumber(value);
    }

    private static OperandRef single(Value value, LoweringContext context) {
        OperandRef term = operand(value, context);
        return term.rank() == 1 ? term : context.nnapi().reshape(term, 1);
    }

    private static OperandRef compared(Node node, LoweringContext context, OperationType type) {
        OperandRef[] both = common(node, context);
        return context.nnapi().test(type, both[0], both[1]);
    }

    private static OperandRef computed(Node node, LoweringContext context, OperationType type) {
        OperandRef[] both = common(node, context);
        return context.nnapi().arithmetic(type, both[0], both[1]);
    }

    private static OperandRef[] common(Node node, LoweringContext context) {
        OperandRef a = single(node.input(0), context);
        OperandRef b = single(node.input(1), context);
        OperandType type = a.type() == OperandType.TENSOR_FLOAT32 || b.type() == OperandType.TENSOR_FLOAT32
                ? OperandType.TENSOR_FLOAT32
                : OperandType.TENSOR_INT32;
        return new OperandRef[] {context.nnapi().cast(a, type), context.nnapi().cast(b, type)};
    }
}
