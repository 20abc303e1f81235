package org.torchnnapi.torchscript.passes;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Which values may share memory: a partition of a graph's values, conservative (values in different sets never share).
 * An operator's result shares memory with the arguments of its alias set in the schema; containers share with what they
 * hold; branches and loops join their ways; operators without schema join everything.
 */
public final class Aliases {
    private final Map<Value, Value> parents = new IdentityHashMap<>();
    private final Map<Value, List<Value>> members = new IdentityHashMap<>();

    public Aliases(Graph graph) {
        graph.inputs().forEach(this::find);
        // Inputs of the whole graph may be the same tensor.
        for (Value input : graph.inputs()) {
            join(graph.inputs().get(0), input);
        }
        visit(graph.block());
    }

    /** All values that may share memory with {@code value}, itself included. */
    public List<Value> of(Value value) {
        Value root = find(value);
        return members.computeIfAbsent(root, r -> new ArrayList<>(List.of(r)));
    }

    /** Lets {@code made} take the place of {@code old}, which is gone from the graph. */
    public void replace(Value old, Value made) {
        join(old, made);
        of(old).remove(old);
    }

    private void visit(Block block) {
        for (Node node : block.nodes()) {
            switch (node.kind()) {
                case "prim::Constant" -> { }
                case "prim::If" -> {
                    for (Block branch : node.blocks()) {
                        visit(branch);
                        joinAll(node.outputs(), branch.results());
                    }
                }
                case "prim::Loop" -> {
                    Block body = node.blocks().get(0);
                    visit(body);
                    List<Value> carried = node.inputs().subList(2, node.inputs().size());
                    joinAll(node.outputs(), carried);
                    joinAll(node.outputs(), body.results().subList(1, body.results().size()));
                    joinAll(node.outputs(), body.parameters().subList(1, body.parameters().size()));
                }
                default -> visitPlain(node);
            }
        }
    }

    private void visitPlain(Node node) {
        if (isReadOnlyList(node)) {
            return;
        }
        for (Value output : node.outputs()) {
            if (!holdsMemory(output.type())) {
                continue;
            }
            for (int i = 0; i < node.inputs().size(); i++) {
                if (holdsMemory(node.input(i).type()) && mayShare(node, i, output)) {
                    join(output, node.input(i));
                }
            }
        }
    }

    /** Whether a result of a node without blocks may share memory with one of its inputs. */
    public static boolean mayShare(Node node, int input, Value output) {
        if (node.is("prim::ListUnpack") && isFreshList(node.input(input))) {
            return false;
        }
        FunctionSchema schema = node.schema();
        if (schema == null || input >= schema.arguments().size() || TypeRelations.hasVariables(schema.arguments().get(input).type())) {
            return true;
        }
        String alias = schema.arguments().get(input).alias();
        if (alias == null) {
            return false;
        }
        int index = output.index();
        Argument returned = index < schema.returns().size() ? schema.returns().get(index) : null;
        return returned == null || alias.equals(returned.alias()) || "*".equals(returned.alias());
    }

    /**
     * Whether a node only gathers tensors for operators that make new memory of them, or for whoever called the graph. Its elements then stay
     * apart; what is read of them still hangs on the list, which whoever moves a write has to look at.
     */
    public static boolean isReadOnlyList(Node node) {
        boolean list = node.is("prim::ListConstruct");
        return list && node.output().uses().stream().allMatch(use -> isFresh(use.user(), use.index()))
            || (list || node.is("prim::TupleConstruct") || node.is("prim::DictConstruct")) && isOnlyReturned(node);
    }

    private static boolean isOnlyReturned(Node node) {
        return node.output().uses().stream().allMatch(use -> use.user() == node.graph().block().returns());
    }

    /** Whether a list is taken apart where it is made, of tensors that PyTorch says to share no memory with each other. */
    private static boolean isFreshList(Value list) {
        Node maker = list.definition();
        return maker != null && maker.schema() != null && maker.schema().returns().size() == 1 && maker.schema().returns().get(0).alias() == null
            && list.uses().size() == 1 && maker.schema().name().startsWith("aten::unsafe_");
    }

    /** Whether what an operator makes of a list's elements is new memory, and the list not written to: by the annotations of its schema. */
    private static boolean isFresh(Node node, int input) {
        FunctionSchema schema = node.schema();
        return schema != null && input < schema.arguments().size() && schema.arguments().get(input).alias() == null
            && !TypeRelations.hasVariables(schema.arguments().get(input).type());
    }

    /** Whether values of a type are, or hold, what can be written to. */
    public static boolean holdsMemory(Type type) {
        if (type instanceof Type.Basic basic) {
            return basic == Type.Basic.TENSOR || basic == Type.Basic.ANY || basic == Type.Basic.ANY_LIST || basic == Type.Basic.ANY_TUPLE;
        }
        if (type instanceof Type.ListType list) {
            return holdsMemory(list.element());
        }
        if (type instanceof Type.OptionalType optional) {
            return holdsMemory(optional.element());
        }
        return !(type instanceof Type.EnumType);
    }

    private void joinAll(List<Value> a, List<Value> b) {
        for (int i = 0; i < a.size() && i < b.size(); i++) {
            if (holdsMemory(a.get(i).type())) {
                join(a.get(i), b.get(i));
            }
        }
    }

    private Value find(Value value) {
        Value parent = parents.get(value);
        if (parent == null) {
            return value;
        }
        Value root = value;
        while (parents.get(root) != null) {
            root = parents.get(root);
        }
        while (value != root) {
            Value next = parents.put(value, root);
            value = next;
        }
        return root;
    }

    private void join(Value a, Value b) {
        Value x = find(a);
        Value y = find(b);
        if (x == y) {
            return;
        }
        List<Value> kept = of(x);
        List<Value> moved = of(y);
        if (kept.size() < moved.size()) {
            Value swap = x;
            x = y;
            y = swap;
            List<Value> swapped = kept;
            kept = moved;
            moved = swapped;
        }
        kept.addAll(moved);
        members.remove(y);
        parents.put(y, x);
    }
}
