package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What values of the made graph hold where they are not None, or not without elements, when that decides itself as the
 * model runs: a sample, which is a tensor, or a list of those of a tuple. Where such a value is taken for something,
 * the made graph checks its sizes.
 */
final class OptionalAttributes {
    /** Gives the same tensor under another name, of which more is known. */
    private static final String TAKEN = "aten::detach";

    private static final String KEPT = "what is kept from an earlier call";

    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final Map<Value, Object> samples = new IdentityHashMap<>();
    private final Map<Value, Runnable> empty = new IdentityHashMap<>();
    private final Map<Value, Taken> taken = new IdentityHashMap<>();

    /** Where a tensor that might have no elements was last taken for one that has. */
    private record Taken(Block block, AbstractValue known) {}

    OptionalAttributes(AbstractInterpreter interpreter, ResidualGraph residual) {
        this.interpreter = interpreter;
        this.residual = residual;
    }

    /** A sample of what is certainly something, or null where its sizes are not known. */
    static Object sample(AbstractValue known) {
        if (known instanceof Held held && held.container() instanceof ScriptTuple tuple) {
            List<Object> items = ResidualGraph.items(tuple).stream()
                    .map(AbstractInterpreter::sample)
                    .collect(Streams.toList());
            return !items.isEmpty() && items.stream().allMatch(Tensor.class::isInstance) ? items : null;
        }
        return AbstractInterpreter.sample(known) instanceof Tensor tensor ? tensor : null;
    }

    /** Whether both are samples, of the same sizes and dtypes. */
    static boolean alike(Object one, Object other) {
        return one != null && other != null && facts(one).equals(facts(other));
    }

    private static List<TensorFacts> facts(Object sample) {
        return tensors(sample).stream().map(TensorFacts::of).collect(Streams.toList());
    }

    private static List<Tensor> tensors(Object sample) {
        return sample instanceof Tensor tensor
                ? List.of(tensor)
                : ((List<?>) sample).stream().map(Tensor.class::cast).collect(Streams.toList());
    }

    /** Lets a value hold the like of a sample where it is not None. */
    void put(Value value, Object sample) {
        samples.put(value, sample);
    }

    /** Has something done where more is asked of a tensor without elements than what shape it has. */
    void putEmpty(Value value, Runnable onUse) {
        empty.put(value, onUse);
    }

    /**
     * What a node is given to work on in the place of a tensor that may have no elements, unless it only asks for its
     * shape: one that was checked to have those of its sample. Null where the value is none of that kind.
     */
    AbstractValue filled(AbstractValue known, Node reader) {
        if (!(known instanceof Open open) || OperatorTrait.READS_GEOMETRY.of(reader)) {
            return null;
        }
        if (empty.containsKey(open.value())) {
            empty.get(open.value()).run();
        }
        return open.value().type() == Type.Basic.TENSOR && samples.get(open.value()) instanceof Tensor sample
                ? filled(open.value(), sample)
                : null;
    }

    private AbstractValue filled(Value value, Tensor sample) {
        Taken before = taken.get(value);
        if (before == null || before.block() != residual.current()) {
            residual.requireSizes(value, sample.sizes(), KEPT);
            Value checked = residual.tensor(TAKEN, value);
            checked.definition().attribute(ResidualGraph.GUARD, true);
            before = new Taken(residual.current(), interpreter.open(checked, sample.copy(MemoryFormat.CONTIGUOUS)));
            taken.put(value, before);
        }
        return before.known();
    }

    /**
     * What a node gives by which an earlier walk took a tensor for one with elements, behind a check that stays; null
     * for other nodes.
     */
    AbstractValue filledBefore(Node node) {
        if (!node.is(TAKEN) || node.attribute(ResidualGraph.GUARD) == null) {
            return null;
        }
        AbstractValue known = interpreter.of(node.input(0));
        boolean open = known instanceof Open value && samples.containsKey(value.value());
        return open
                ? interpreter.open(
                        residual.copy(node, List.of(((Open) known).value())).output(),
                        ((Tensor) of(known)).copy(MemoryFormat.CONTIGUOUS))
                : known;
    }

    /** A sample of what a value holds where it is something, or null. */
    Object of(AbstractValue known) {
        Object certain = sample(known);
        return certain != null || !(known instanceof Open open) ? certain : samples.get(open.value());
    }

    /** What comes out of two branches holds what both hold, one of which may be None. */
    void join(Value made, AbstractValue one, AbstractValue other) {
        Object first = of(one);
        Object second = of(other);
        boolean known = first == null
                ? AbstractValue.isNone(one) && second != null
                : AbstractValue.isNone(other) || alike(first, second);
        if (known && made.type() instanceof Type.OptionalType) {
            samples.put(made, first == null ? second : first);
        }
    }

    /** What a node gives that takes an optional value for something, or null where nothing is known of it. */
    AbstractValue taken(Node node, Open optional) {
        Object sample = samples.get(optional.value());
        boolean tuple = node.output().type() instanceof Type.TupleType;
        if (sample == null || !tuple && node.output().type() != Type.Basic.TENSOR || tuple != sample instanceof List) {
            return null;
        }
        Value made = residual.copy(node, List.of(optional.value())).output();
        if (!tuple) {
            return checked(made, (Tensor) sample);
        }
        List<Tensor> tensors = tensors(sample);
        List<Value> parts = residual.unpack(made, tensors.size());
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < tensors.size(); i++) {
            items.add(checked(parts.get(i), tensors.get(i)));
        }
        Type.TupleType type = (Type.TupleType) node.output().type();
        return new Held(new ScriptTuple(items, type.name() != null ? type : null), type, node, residual.current());
    }

    private AbstractValue checked(Value made, Tensor sample) {
        residual.requireSizes(made, sample.sizes(), KEPT);
        return interpreter.open(made, sample.copy(MemoryFormat.CONTIGUOUS));
    }
}
