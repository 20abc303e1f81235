package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.free.Abstract.Held;
import org.torchnnapi.converter.free.Abstract.Known;
import org.torchnnapi.converter.free.Abstract.Open;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * What values of the made graph hold where they are not None, when that decides itself as the model runs: a sample, which is a tensor, or a list of those of a
 * tuple. Where such a value is taken for something, the made graph checks its sizes.
 */
final class Optionals {
    private final Walk walk;
    private final Residue residue;
    private final Map<Value, Object> samples = new IdentityHashMap<>();

    Optionals(Walk walk, Residue residue) {
        this.walk = walk;
        this.residue = residue;
    }

    /** A sample of what is certainly something, or null where its sizes are not known. */
    static Object sample(Abstract known) {
        if (known instanceof Held held && held.container() instanceof ScriptTuple tuple) {
            List<Object> items = Residue.items(tuple).stream().map(Walk::sample).collect(Streams.toList());
            return !items.isEmpty() && items.stream().allMatch(Tensor.class::isInstance) ? items : null;
        }
        return Walk.sample(known) instanceof Tensor tensor ? tensor : null;
    }

    /** Whether both are samples, of the same sizes and dtypes. */
    static boolean alike(Object one, Object other) {
        return one != null && other != null && facts(one).equals(facts(other));
    }

    private static List<TensorFacts> facts(Object sample) {
        return tensors(sample).stream().map(TensorFacts::of).collect(Streams.toList());
    }

    private static List<Tensor> tensors(Object sample) {
        return sample instanceof Tensor tensor ? List.of(tensor) : ((List<?>) sample).stream().map(Tensor.class::cast).collect(Streams.toList());
    }

    /** Lets a value hold the like of a sample where it is not None. */
    void put(Value value, Object sample) {
        samples.put(value, sample);
    }

    /** A sample of what a value holds where it is something, or null. */
    Object of(Abstract known) {
        Object certain = sample(known);
        return certain != null || !(known instanceof Open open) ? certain : samples.get(open.value());
    }

    /** What comes out of two branches holds what both hold, one of which may be None. */
    void join(Value made, Abstract one, Abstract other) {
        Object first = of(one);
        Object second = of(other);
        boolean known = first == null ? Abstract.isNone(one) && second != null : Abstract.isNone(other) || alike(first, second);
        if (known && made.type() instanceof Type.OptionalType) {
            samples.put(made, first == null ? second : first);
        }
    }

    /** What a node gives that takes an optional value for something, or null where nothing is known of it. */
    Abstract taken(Node node, Open optional) {
        Object sample = samples.get(optional.value());
        boolean tuple = node.output().type() instanceof Type.TupleType;
        if (sample == null || !tuple && node.output().type() != Type.Basic.TENSOR || tuple != sample instanceof List) {
            return null;
        }
        Value made = residue.copy(node, List.of(optional.value())).output();
        if (!tuple) {
            return checked(made, (Tensor) sample);
        }
        Node unpack = residue.create("prim::TupleUnpack").addInput(made);
        residue.append(unpack);
        List<Tensor> tensors = tensors(sample);
        tensors.forEach(tensor -> unpack.addOutput(Type.Basic.TENSOR));
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < tensors.size(); i++) {
            items.add(checked(unpack.output(i), tensors.get(i)));
        }
        Type.TupleType type = (Type.TupleType) node.output().type();
        return new Held(new ScriptTuple(items, type.name() != null ? type : null), type, node, residue.current());
    }

    private Abstract checked(Value made, Tensor sample) {
        residue.requireSizes(made, sample.sizes(), "what is kept from an earlier call");
        return walk.open(made, sample.copy(MemoryFormat.CONTIGUOUS));
    }
}
