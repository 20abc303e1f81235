package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Draws methods: a group for each module that is called, in it its operators and the modules that it calls. */
final class ScriptGraphs {
    private static final int MOST_DEPTH = 64;
    private static final int SHOWN_CHARACTERS = 60;
    private static final int NOT_DRAWN = 16;
    private static final Object UNKNOWN = new Object();
    /** What only packs and unpacks values: they are joined past it. */
    private static final Set<String> PASSED = Set.of(
            Prim.LIST_CONSTRUCT,
            Prim.TUPLE_CONSTRUCT,
            Prim.DICT_CONSTRUCT,
            Prim.LIST_UNPACK,
            Prim.TUPLE_UNPACK,
            Prim.TUPLE_INDEX,
            "aten::__getitem__",
            Prim.UNCHECKED_CAST,
            Prim.UNINITIALIZED,
            "prim::NumToTensor",
            Prim.CREATE_OBJECT);

    private final Picture picture;
    private final NnapiGraphs nnapi;
    private final List<Observation.Call> calls;
    private final Map<Item, SourceRange> ranges = new IdentityHashMap<>();
    /** By observed call its item; by node all items of it, where modules share a method. */
    private final Map<Integer, Item> byCall = new HashMap<>();

    private final Map<Node, Set<Item>> byNode = new IdentityHashMap<>();
    private int call;

    /** @param calls of one run, in order; none where nothing was run */
    ScriptGraphs(Picture picture, NnapiGraphs nnapi, List<Observation.Call> calls) {
        this.picture = picture;
        this.nnapi = nnapi;
        this.calls = calls;
    }

    /** Draws a method of a module into an item. */
    void method(Item group, Function method, ScriptObject self) {
        new Body(group, method, self, "", null).draw();
    }

    /** One expansion of a function: what its values are, and which items they come from. */
    private final class Body {
        private final Item group;
        private final Function function;
        private final String path;
        private final Body caller;
        private final Map<Value, Object> known = new IdentityHashMap<>();
        private final Map<Value, String> names = new IdentityHashMap<>();
        private final Map<Value, Set<Item>> sources = new IdentityHashMap<>();
        private final Map<Node, Item> drawn = new IdentityHashMap<>();

        Body(Item group, Function function, Object self, String path, Body caller) {
            this.group = group;
            this.function = function;
            this.path = path;
            this.caller = caller;
            List<Value> parameters = function.representative().graph().inputs();
            for (int i = 0; i < parameters.size(); i++) {
                Value parameter = parameters.get(i);
                if (i == 0 && self != null) {
                    known.put(parameter, self);
                    continue;
                }
                Item pin = picture.add(
                        group,
                        Item.Kind.PIN,
                        String.valueOf(function.schema().arguments().get(i).name()));
                if (pin != null) {
                    pin.under = "argument";
                    pin.fact("Argument", parameter.type().text());
                    sources.put(parameter, Set.of(pin));
                }
            }
        }

        void draw() {
            Block block = function.representative().graph().block();
            nodes(group, block);
            List<Value> results = block.results();
            for (int i = 0; i < results.size(); i++) {
                Set<Item> from = sources(results.get(i));
                if (!from.isEmpty()) {
                    Item pin = picture.add(group, Item.Kind.PIN, results.size() == 1 ? "result" : "result " + i);
                    if (pin != null) {
                        pin.under = "result";
                        from.forEach(item -> picture.link(item, pin));
                    }
                }
            }
        }

        private int depth() {
            return caller == null ? 0 : caller.depth() + 1;
        }

        private boolean calls(Function other) {
            return function == other || caller != null && caller.calls(other);
        }

        private Set<Item> sources(Value value) {
            return sources.getOrDefault(value, Set.of());
        }

        private void nodes(Item into, Block block) {
            for (Node node : block.nodes()) {
                switch (node.kind()) {
                    case Prim.CONSTANT -> know(node, node.attribute("value"), "");
                    case Prim.GET_ATTR -> attribute(node);
                    case Prim.CALL_METHOD -> method(into, node);
                    case Prim.CALL_FUNCTION -> function(into, node);
                    case Prim.IF, Prim.LOOP, "prim::With" -> blocks(into, node);
                    default -> {
                        if (PASSED.contains(node.kind())) {
                            pass(node);
                        } else {
                            operator(into, node);
                        }
                    }
                }
            }
        }

        private void know(Node node, Object value, String name) {
            known.put(node.output(), value == null ? UNKNOWN : value);
            names.put(node.output(), name);
        }

        private void attribute(Node node) {
            String name = String.valueOf(node.attribute("name"));
            String owner = names.getOrDefault(node.input(0), "");
            Object value = known.get(node.input(0)) instanceof ScriptObject object
                            && object.type().attributes().stream()
                                    .anyMatch(a -> a.name().equals(name))
                    ? object.get(name)
                    : null;
            know(node, value, owner.isEmpty() ? name : owner + "." + name);
        }

        private void pass(Node node) {
            if (node.is(Prim.UNCHECKED_CAST) && known.containsKey(node.input(0))) {
                know(node, known.get(node.input(0)), names.getOrDefault(node.input(0), ""));
            }
            Set<Item> from = new LinkedHashSet<>();
            node.inputs().forEach(input -> from.addAll(sources(input)));
            node.outputs().forEach(output -> sources.put(output, from));
        }

        private void method(Item into, Node node) {
            String name = String.valueOf(node.attribute("name"));
            Object object = known.get(node.input(0));
            Function called =
                    object instanceof ScriptObject instance ? instance.type().method(name) : null;
            if (object instanceof CustomObject custom && NnapiPart.of(custom) != null) {
                join(node, nnapi.draw(into, NnapiPart.of(custom)));
            } else if (called != null && name.equals("forward") && part((ScriptObject) object) != null) {
                // What a converted module does around its model is the same in all: the model says more.
                join(node, nnapi.draw(into, part((ScriptObject) object)));
                skip(called);
            } else if (called != null && name.equals("forward") && stored((ScriptObject) object) != null) {
                join(node, nnapi.draw(into, (ScriptObject) object, stored((ScriptObject) object)));
                skip(called);
            } else if (called == null || !called.hasBody()) {
                operator(into, node);
            } else {
                String attribute = names.getOrDefault(node.input(0), "");
                ClassType type = ((ScriptObject) object).type();
                String shown = attribute.isEmpty() ? "self" : attribute;
                expand(into, node, called, object, shown + (name.equals("forward") ? "" : "." + name), type);
            }
        }

        private NnapiPart part(ScriptObject module) {
            return module.type().attributes().stream().anyMatch(a -> a.name().equals("ser_model"))
                            && module.type().attributes().stream()
                                    .anyMatch(a -> a.name().equals("comp"))
                            && module.get("comp") instanceof CustomObject custom
                    ? NnapiPart.of(custom)
                    : null;
        }

        /**
         * The model of a converted module that has not been compiled; null of others, and where its sizes are known
         * once it is loaded for NNAPI.
         */
        private Model stored(ScriptObject module) {
            if (module.type().attributes().stream().noneMatch(a -> a.name().equals("ser_model"))
                    || module.type().attributes().stream()
                            .noneMatch(a -> a.name().equals("weights"))
                    || !(module.get("ser_model") instanceof Tensor words
                            && module.get("weights") instanceof ScriptList weights)) {
                return null;
            }
            try {
                return NnapiPart.decoded(
                        words, weights.items().stream().map(Tensor.class::cast).toList());
            } catch (NnapiException | IllegalArgumentException | ClassCastException e) {
                return null;
            }
        }

        /** Passes over what a function did. */
        private void skip(Function called) {
            Set<Node> inner = Collections.newSetFromMap(new IdentityHashMap<>());
            collect(called.representative().graph().block(), inner);
            while (call < calls.size() && inner.contains(calls.get(call).node())) {
                call++;
            }
        }

        private void collect(Block block, Set<Node> nodes) {
            for (Node node : block.nodes()) {
                nodes.add(node);
                node.blocks().forEach(inner -> collect(inner, nodes));
            }
        }

        private void function(Item into, Node node) {
            if (node.attribute("function") instanceof Function called && called.hasBody()) {
                expand(into, node, called, null, called.name(), null);
            } else {
                operator(into, node);
            }
        }

        private void expand(Item into, Node node, Function called, Object self, String label, ClassType type) {
            Item made = picture.add(into, Item.Kind.GROUP, label);
            if (made == null) {
                return;
            }
            String at = path.isEmpty() ? label : path + "." + label;
            if (type != null) {
                made.under = shorten(type.name());
                made.fact("Module", at);
                made.fact("Class", shorten(type.name()));
            } else {
                made.under = shorten(called.qualifiedName());
            }
            place(made, node);
            join(node, made);
            if (depth() >= MOST_DEPTH || calls(called)) {
                made.fact("Not drawn", depth() >= MOST_DEPTH ? "calls nest deeper than " + MOST_DEPTH : "calls itself");
                return;
            }
            new Body(made, called, self, at, this).draw();
        }

        /** Draws the blocks of a branch or loop, and passes over what further rounds of it did. */
        private void blocks(Item into, Node node) {
            Item made = picture.add(
                    into,
                    Item.Kind.GROUP,
                    node.kind().substring("prim::".length()).toLowerCase(Locale.ROOT));
            if (made == null) {
                return;
            }
            place(made, node);
            Set<Item> from = new LinkedHashSet<>();
            node.inputs().forEach(input -> from.addAll(sources(input)));
            boolean loop = node.is(Prim.LOOP);
            for (int b = 0; b < node.blocks().size(); b++) {
                Block block = node.blocks().get(b);
                for (int i = 0; i < block.parameters().size(); i++) {
                    // Carried values come behind the number of rounds and the condition.
                    sources.put(
                            block.parameters().get(i),
                            loop && i > 0 && i + 1 < node.inputs().size() ? sources(node.input(i + 1)) : Set.of());
                }
                Item inner = node.blocks().size() > 1 && !block.nodes().isEmpty()
                        ? picture.add(made, Item.Kind.GROUP, b == 0 ? "then" : "else")
                        : made;
                nodes(inner == null ? made : inner, block);
            }
            from.forEach(item -> picture.link(item, made));
            node.outputs().forEach(output -> sources.put(output, Set.of(made)));
            while (call < calls.size()
                    && drawn.containsKey(calls.get(call).node())
                    && inside(drawn.get(calls.get(call).node()), made)) {
                again(drawn.get(calls.get(call).node()));
            }
        }

        private void again(Item item) {
            byCall.put(call, item);
            item.millis += calls.get(call++).nanos() / 1e6;
        }

        private void operator(Item into, Node node) {
            boolean tensors = node.inputs().stream().anyMatch(v -> isTensor(v.type()))
                    || node.outputs().stream().anyMatch(v -> isTensor(v.type()));
            Item made = picture.add(into, tensors ? Item.Kind.OPERATION : Item.Kind.GLUE, label(node));
            if (made == null) {
                return;
            }
            drawn.put(node, made);
            byNode.computeIfAbsent(node, n -> new LinkedHashSet<>()).add(made);
            made.fact(
                    "Operator",
                    node.kind()
                            + (node.schema() == null
                                    ? ""
                                    : node.schema().overload().isEmpty()
                                            ? ""
                                            : "." + node.schema().overload()));
            place(made, node);
            if (!path.isEmpty()) {
                made.fact("Module", path);
            }
            observe(made, node);
            arguments(made, node);
            join(node, made);
        }

        private String label(Node node) {
            return node.is(Prim.CALL_METHOD)
                    ? "." + node.attribute("name") + "()"
                    : node.kind().startsWith("aten::") ? node.kind().substring("aten::".length()) : node.kind();
        }

        private void observe(Item made, Node node) {
            if (reach(node)) {
                byCall.put(call, made);
                Observation.Call observed = calls.get(call++);
                observed.inputs().forEach(type -> made.fact("Takes", type));
                observed.outputs().forEach(type -> made.fact("Gives", type));
                made.millis = observed.nanos() / 1e6;
            } else if (!calls.isEmpty()) {
                made.fact("Run", "not reached with these inputs");
            }
        }

        /** Whether the next call is of a node, perhaps behind some of nodes that are not drawn. */
        private boolean reach(Node node) {
            for (int i = call; i < Math.min(calls.size(), call + NOT_DRAWN); i++) {
                if (calls.get(i).node() == node) {
                    call = i;
                    return true;
                }
            }
            return false;
        }

        private void arguments(Item made, Node node) {
            for (int i = 0; i < node.inputs().size(); i++) {
                Object value = known.get(node.input(i));
                String name = names.getOrDefault(node.input(i), "");
                String argument =
                        node.schema() != null && i < node.schema().arguments().size()
                                ? node.schema().arguments().get(i).name()
                                : "argument " + i;
                if (value instanceof Tensor tensor) {
                    made.weights.add(WeightFacts.of(name.isEmpty() ? argument : name, tensor));
                } else if (value instanceof CustomObject custom) {
                    packed(custom)
                            .forEach(tensor ->
                                    made.weights.add(WeightFacts.of(name.isEmpty() ? argument : name, tensor)));
                } else if (value != null && value != UNKNOWN && !(value instanceof ScriptObject)) {
                    made.fact(
                            "Constants", argument + " = " + Strings.beginning(String.valueOf(value), SHOWN_CHARACTERS));
                } else if (node.input(i).definition() != null
                        && node.input(i).definition().is(Prim.LIST_CONSTRUCT)) {
                    numbers(made, argument, node.input(i).definition());
                }
            }
        }

        /** A list that stands in the code, such as a stride. */
        private void numbers(Item made, String argument, Node list) {
            List<String> items = new ArrayList<>();
            for (Value item : list.inputs()) {
                Object value = known.get(item);
                if (!(value instanceof Number || value instanceof Boolean)) {
                    return;
                }
                items.add(String.valueOf(value));
            }
            made.fact("Constants", argument + " = [" + String.join(", ", items) + "]");
        }

        private List<Tensor> packed(CustomObject custom) {
            List<Tensor> tensors = new ArrayList<>();
            try {
                tensors(custom.type().getState(custom.payload()), tensors);
            } catch (RuntimeException e) {
                // A class without a state has no weights to show.
                return List.of();
            }
            return tensors;
        }

        private void tensors(Object state, List<Tensor> found) {
            if (state instanceof Tensor tensor
                    && tensor.rank() > 0
                    && !tensor.dtype().torchName().equals("int16")) {
                found.add(tensor);
            } else if (state instanceof ScriptTuple tuple) {
                tuple.items().forEach(item -> tensors(item, found));
            } else if (state instanceof ScriptList list) {
                list.items().forEach(item -> tensors(item, found));
            }
        }

        private void place(Item made, Node node) {
            SourceRange range = function.range(node);
            SourceRange.Python python = range.python();
            if (python != null) {
                made.fact("Python", python.file() + ":" + python.line());
                if (python.text() != null && !python.text().isBlank()) {
                    made.fact("Python", python.text().strip());
                }
            } else if (range.file() != null) {
                made.fact("Code", range.file() + ":" + range.line());
            }
            ranges.put(made, range);
        }

        private void join(Node node, Item made) {
            Set<Item> from = Collections.newSetFromMap(new IdentityHashMap<>());
            node.inputs().forEach(input -> from.addAll(sources(input)));
            from.forEach(item -> picture.link(item, made));
            node.outputs().forEach(output -> sources.put(output, Set.of(made)));
        }
    }

    /**
     * By node of a method's graph the items of its calls, in the order of the run that was observed; one item where the
     * node was drawn once, whether it was observed or not.
     */
    Map<Node, List<Item>> items() {
        Map<Node, List<Item>> items = new IdentityHashMap<>();
        for (int i = 0; i < calls.size(); i++) {
            items.computeIfAbsent(calls.get(i).node(), n -> new ArrayList<>()).add(byCall.get(i));
        }
        byNode.forEach((node, drawn) -> {
            if (drawn.size() == 1) {
                items.put(node, List.copyOf(drawn));
            }
        });
        return items;
    }

    /** Where the items come from in the code. */
    Map<Item, SourceRange> ranges() {
        return ranges;
    }

    private static boolean inside(Item item, Item group) {
        for (Item at = item; at != null; at = at.parent) {
            if (at == group) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTensor(Type type) {
        return type.text().contains("Tensor");
    }

    /** Mangling says nothing to a reader. */
    static String shorten(String className) {
        return className.replaceAll("\\.___torch_mangle_\\d+", "").replaceFirst("^__torch__\\.", "");
    }
}
