package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Lists and dicts of tensors that a module keeps from one call to the next, in which a method sets items: they are read
 * where the attribute is first read, have the shapes that they have in the file, which the made graph checks, and are
 * followed from there; what was set is set once, at the end. A dict may get items that follow from no input, as tables
 * that are computed at the first call do: each call computes them, or finds the same ones.
 */
final class EscapingContainers {
    private final ResidualGraph residual;
    private final WideningState widening;
    private final Map<ScriptObject, Map<String, Kept>> kept = new IdentityHashMap<>();
    private final Set<Object> containers = Collections.newSetFromMap(new IdentityHashMap<>());

    /**
     * What an attribute holds.
     *
     * @param value what it is in the made graph
     * @param held as it is followed
     * @param before what its items were in the beginning, by key or number
     * @param samples tensors of their shapes, in the same order
     * @param state the attribute's only name
     */
    private record Kept(
            Value value, Held held, Map<Object, AbstractValue> before, Map<Object, Tensor> samples, String state) {}

    EscapingContainers(ResidualGraph residual, WideningState widening) {
        this.residual = residual;
        this.widening = widening;
    }

    /** Whether a value is a list or dict of tensors. */
    private static boolean isOfTensors(Object value, Type type) {
        return value instanceof ScriptList list
                        && list.size() > 0
                        && type instanceof Type.ListType listed
                        && listed.element() == Type.Basic.TENSOR
                || value instanceof ScriptDict dict
                        && type instanceof Type.DictType typed
                        && typed.key() == Type.Basic.STRING
                        && typed.value() == Type.Basic.TENSOR;
    }

    /**
     * Walks through a node that reads an attribute for the first time.
     *
     * @param reading makes the node that reads it in the made graph
     * @param state the attribute's only name
     * @return null where that is not followed
     */
    Held read(
            Node node,
            AbstractInterpreter interpreter,
            ScriptObject object,
            String name,
            Supplier<Value> reading,
            String state) {
        Object now = object.get(name);
        Object site = widening.container(object, name);
        if (!isOfTensors(now, node.output().type())
                || widening.isOpen(site)
                || !residual.isCertain()
                || !containers.add(now)
                || writesIntoItems(node, interpreter)) {
            return null;
        }
        Value made = reading.get();
        Map<Object, Tensor> samples = new LinkedHashMap<>();
        items(now).forEach((key, item) -> samples.put(key, (Tensor) item));
        Map<Object, AbstractValue> before = new LinkedHashMap<>();
        samples.forEach((key, sample) -> {
            Value item = residual.call(
                    now instanceof ScriptList ? "aten::__getitem__.t" : "aten::__getitem__.Dict_str",
                    Type.Basic.TENSOR,
                    made,
                    residual.constant(key, null));
            item.definition().attribute(ResidualGraph.STATE, state);
            residual.requireSizes(item, sample.sizes(), "item " + key + " of attribute " + name);
            before.put(key, interpreter.open(item, sample.copy(MemoryFormat.CONTIGUOUS)));
        });
        Object container;
        if (now instanceof ScriptList list) {
            container = new ScriptList(list.elementType(), new ArrayList<>(before.values()));
        } else {
            ScriptDict dict = new ScriptDict(((ScriptDict) now).keyType(), ((ScriptDict) now).valueType());
            dict.items().putAll(before);
            container = dict;
        }
        Held held = new Held(container, node.output().type(), site, residual.current());
        kept.computeIfAbsent(object, o -> new LinkedHashMap<>())
                .put(name, new Kept(made, held, before, samples, state));
        return held;
    }

    /** Whether something writes to the memory of an item. */
    private static boolean writesIntoItems(Node read, AbstractInterpreter interpreter) {
        return read.output().uses().stream()
                .anyMatch(use -> use.user().outputs().stream()
                        .anyMatch(output -> output.type() == Type.Basic.TENSOR && interpreter.isWritten(output)));
    }

    /** Walks through a node that reads it again. */
    void readAgain(Node node, AbstractInterpreter interpreter, ScriptObject object, String name) {
        Kept now = kept.getOrDefault(object, Map.of()).get(name);
        if (now != null && writesIntoItems(node, interpreter)) {
            widening.site(now.held().site());
        }
    }

    /** An attribute is set: its container is another one from now on, if that is certain. */
    void set(ScriptObject object, String name) {
        Kept now = kept.getOrDefault(object, Map.of()).get(name);
        if (now != null && residual.isCertain()) {
            kept.get(object).remove(name);
        } else if (now != null) {
            widening.site(now.held().site());
        }
    }

    /** The walk has ended: items that are others than in the beginning are set. */
    void end(List<AbstractValue> results) {
        kept.values()
                .forEach(attributes -> attributes.values().forEach(one -> {
                    Map<Object, AbstractValue> after = new LinkedHashMap<>();
                    items(one.held().container()).forEach((key, item) -> after.put(key, (AbstractValue) item));
                    boolean sound = results.stream().noneMatch(result -> ModuleState.holds(result, one.held()))
                            && after.keySet().containsAll(one.before().keySet())
                            && (one.held().container() instanceof ScriptDict
                                    || after.size() == one.before().size());
                    for (Map.Entry<Object, AbstractValue> entry : after.entrySet()) {
                        Tensor sample = one.samples().get(entry.getKey());
                        sound &= sample == null
                                ? entry.getValue() instanceof Known constant && constant.value() instanceof Tensor
                                : OptionalAttributes.alike(AbstractInterpreter.sample(entry.getValue()), sample);
                    }
                    if (!sound) {
                        widening.site(one.held().site());
                        return;
                    }
                    after.forEach((key, item) -> {
                        if (item != one.before().get(key)) {
                            set(one, key, item);
                        }
                    });
                }));
    }

    private void set(Kept one, Object key, AbstractValue item) {
        boolean list = one.held().container() instanceof ScriptList;
        Node made = residual.operator(list ? "aten::_set_item.t" : "aten::_set_item.str")
                .addInput(one.value())
                .addInput(residual.constant(key, null))
                .addInput(residual.value(item));
        if (list) {
            made.addOutput(one.held().type());
        }
        made.attribute(ResidualGraph.STATE, one.state());
        residual.append(made);
    }

    /** By number, or by key. */
    private static Map<Object, Object> items(Object container) {
        if (container instanceof ScriptDict dict) {
            return new LinkedHashMap<>(dict.items());
        }
        Map<Object, Object> items = new LinkedHashMap<>();
        for (Object item : ((ScriptList) container).items()) {
            items.put((long) items.size(), item);
        }
        return items;
    }
}
