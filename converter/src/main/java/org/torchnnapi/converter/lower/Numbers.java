package org.torchnnapi.converter.lower;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Numbers and truth values that branches and loops compute, as tensors of one element. */
public final class Numbers {
    /** A number as a truth value, and what is made of truth values. */
    private static final Map<String, OperationType> LOGIC = Map.of(
            "aten::Bool", OperationType.CAST,
            "aten::__and__", OperationType.LOGICAL_AND,
            "aten::__or__", OperationType.LOGICAL_OR,
            "aten::__not__", OperationType.LOGICAL_NOT);

    private static final Map<String, OperationType> ARITHMETIC = Map.of(
            "aten::lt", OperationType.LESS,
            "aten::le", OperationType.LESS_EQUAL,
            "aten::gt", OperationType.GREATER,
            "aten::ge", OperationType.GREATER_EQUAL,
            "aten::eq", OperationType.EQUAL,
            "aten::ne", OperationType.NOT_EQUAL,
            "aten::add", OperationType.ADD,
            "aten::sub", OperationType.SUB,
            "aten::mul", OperationType.MUL);
    /** Those that give numbers, rather than truth values. */
    private static final Set<OperationType> COMPUTED = Set.of(OperationType.ADD, OperationType.SUB, OperationType.MUL);
    /** To a type, or to that of the tensor. */
    private static final Map<String, Optional<OperandType>> CASTS = Map.of(
            "aten::Int", Optional.of(OperandType.TENSOR_INT32),
            "aten::IntImplicit", Optional.of(OperandType.TENSOR_INT32),
            "aten::Float", Optional.of(OperandType.TENSOR_FLOAT32),
            "aten::FloatImplicit", Optional.of(OperandType.TENSOR_FLOAT32),
            "aten::item", Optional.empty(),
            "aten::ScalarImplicit", Optional.empty());

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
        boolean logic = LOGIC.containsKey(node.kind());
        if (!logic && !CASTS.containsKey(node.kind()) && !ARITHMETIC.containsKey(node.kind())) {
            return new Reason(
                    "numbers in branches and loops are added, multiplied and compared",
                    node.kind(),
                    "arithmetic, comparisons and logic",
                    "compute with tensors instead");
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
        String kind = node.kind();
        if (LOGIC.containsKey(kind)) {
            List<OperandRef> truths = node.inputs().stream()
                    .map(value -> truth(operand(value, context), nnapi))
                    .collect(Streams.toList());
            return switch (LOGIC.get(kind)) {
                case CAST -> truths.get(0);
                case LOGICAL_NOT -> nnapi.unary(OperationType.LOGICAL_NOT, truths.get(0));
                default -> nnapi.test(LOGIC.get(kind), truths.get(0), truths.get(1));
            };
        }
        OperandRef a = single(node.input(0), context);
        if (CASTS.containsKey(kind)) {
            return nnapi.cast(a, CASTS.get(kind).orElse(a.type()));
        }
        OperandRef b = single(node.input(1), context);
        boolean real = a.type() == OperandType.TENSOR_FLOAT32 || b.type() == OperandType.TENSOR_FLOAT32;
        OperandType common = real ? OperandType.TENSOR_FLOAT32 : OperandType.TENSOR_INT32;
        OperationType type = ARITHMETIC.get(kind);
        OperandRef left = nnapi.cast(a, common);
        OperandRef right = nnapi.cast(b, common);
        return COMPUTED.contains(type) ? nnapi.arithmetic(type, left, right) : nnapi.test(type, left, right);
    }

    private static OperandRef operand(Value value, LoweringContext context) {
        return value.type() == Type.Basic.TENSOR ? context.plain(value) : context.computedNumber(value);
    }

    private static OperandRef single(Value value, LoweringContext context) {
        OperandRef term = operand(value, context);
        return term.rank() == 1 ? term : context.nnapi().reshape(term, 1);
    }
}
