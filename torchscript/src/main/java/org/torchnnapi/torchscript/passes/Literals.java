package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Reads values that are known before the model runs: constants, and lists and tuples made of them. */
public final class Literals {
    /** A known value; {@code value} is null for None. */
    public record Literal(Object value) {}

    private Literals() {}

    /** The known value, or empty. Lists that something appends to are not known. */
    public static Optional<Literal> of(Value value) {
        Node node = value.definition();
        if (node == null) {
            return Optional.empty();
        }
        return switch (node.kind()) {
            case Prim.CONSTANT -> Optional.of(new Literal(node.attribute("value")));
            case Prim.LIST_CONSTRUCT ->
                isMutated(value)
                        ? Optional.empty()
                        : items(node)
                                .map(items -> new Literal(new ScriptList(
                                        value.type() instanceof Type.ListType list ? list.element() : Type.Basic.ANY,
                                        items)));
            case Prim.TUPLE_CONSTRUCT ->
                items(node)
                        .map(items -> new Literal(new ScriptTuple(
                                items,
                                value.type() instanceof Type.TupleType tuple && tuple.name() != null ? tuple : null)));
            default -> Optional.empty();
        };
    }

    /** The known value; null where it is None, or not known. */
    public static Object orNull(Value value) {
        return of(value).map(Literal::value).orElse(null);
    }

    /**
     * The number, a Double or a Long, that the second operand of an operator counts as in PyTorch's executor (pass
     * CanonicalizeOps): it is a constant tensor without dimensions. Null where it does not, as in byte code.
     */
    public static Number numberOperand(Node node) {
        if (!OperatorTrait.TAKES_NUMBERS.of(node)
                || node.inputs().size() < 2
                || !node.schema().overload().equals("Tensor")
                || node.schema().isMutating()
                || node.attribute(Node.AS_WRITTEN) != null
                || !(orNull(node.input(1)) instanceof Tensor tensor)
                || tensor.rank() != 0
                || tensor.dtype().isComplex()
                || tensor.dtype().isQuantized()) {
            return null;
        }
        return tensor.dtype().isFloating() ? (Number) tensor.getDouble(0) : (Number) tensor.getLong(0);
    }

    public static boolean isNone(Value value) {
        return value.definition() != null
                && value.definition().is(Prim.CONSTANT)
                && value.definition().attribute("value") == null;
    }

    /** Whether some node writes to the object itself (not to what it contains). */
    public static boolean isMutated(Value value) {
        for (Value.Use use : value.uses()) {
            if (Effects.writes(use.user(), use.index())) {
                return true;
            }
        }
        return false;
    }

    private static Optional<List<Object>> items(Node node) {
        List<Object> items = new ArrayList<>();
        for (Value input : node.inputs()) {
            Optional<Literal> item = of(input);
            if (!item.isPresent()) {
                return Optional.empty();
            }
            items.add(item.get().value());
        }
        return Optional.of(items);
    }
}
