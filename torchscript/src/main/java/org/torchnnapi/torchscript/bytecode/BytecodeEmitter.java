package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.StackOrder;
import org.torchnnapi.torchscript.ir.Value;

/**
 * A graph as instructions of the stack machine. What is used once, where it is made, stays on the stack; all else has a
 * register of its own, which the last use empties.
 */
final class BytecodeEmitter {
    private final InstructionEmitter nodes;
    private final StackOrder order = new StackOrder(value -> true);
    private final List<Instruction> code = new ArrayList<>();
    private final List<CodePlace> places = new ArrayList<>();
    private final Map<Value, Integer> registers = new IdentityHashMap<>();
    private final Map<Value, Integer> uses = new IdentityHashMap<>();
    /** Values whose last use was in a block inside that of their definition. */
    private final List<Value> ended = new ArrayList<>();

    private int lastRegister;
    private InlinedMethod method;
    private CodePlace place = CodePlace.NONE;

    private BytecodeEmitter(BytecodeTables tables, int version) {
        nodes = new InstructionEmitter(tables, version, this::add);
    }

    /** @throws BytecodeException if a node has no byte code of that version */
    static WrittenFunction emit(
            Function method,
            int version,
            BytecodeProblems problems,
            java.util.function.Function<Node, Function> decompositions) {
        BytecodeTables tables = new BytecodeTables(method.qualifiedName(), problems);
        BytecodeEmitter emitter = new BytecodeEmitter(tables, version);
        emitter.method = InlinedMethod.of(method, node -> problems.lacks(node) ? decompositions.apply(node) : null);
        Graph graph = emitter.method.graph();
        emitter.order.add(graph.block());
        emitter.define(graph.inputs());
        emitter.block(graph.block());
        emitter.add("RET", 0, 0);
        BytecodeFunction function = new BytecodeFunction(
                method.qualifiedName(),
                emitter.code,
                tables.operators(),
                tables.constants(),
                tables.types(),
                method.schema());
        return new WrittenFunction(function, emitter.lastRegister, emitter.places);
    }

    private int add(String op, int x, int n) {
        code.add(new Instruction(op, x, n));
        places.add(place);
        return code.size() - 1;
    }

    /** Nodes, then the results on the stack. */
    private void block(Block block) {
        for (Node node : block.nodes()) {
            if (!order.isInside(node) && !StackOrder.isConstant(node)) {
                statement(node);
            }
        }
        block.results().forEach(result -> use(result, block));
    }

    private void statement(Node node) {
        node(node);
        define(node.outputs());
        for (int i = ended.size() - 1; i >= 0; i--) {
            if (owner(ended.get(i)) == node.owner()) {
                add("DROPR", registers.get(ended.remove(i)), 0);
            }
        }
    }

    /** What a node leaves on the stack. */
    private void node(Node node) {
        Deque<Runnable> work = new ArrayDeque<>();
        expand(node, work);
        drain(work);
    }

    /** Chains of nodes, each of which only the next one uses, may be as long as a method: no recursion. */
    private static void drain(Deque<Runnable> work) {
        while (!work.isEmpty()) {
            work.pop().run();
        }
    }

    /** Emits a node with blocks; of another, leaves what there is to do on top of the work, its inputs first. */
    private void expand(Node node, Deque<Runnable> work) {
        CodePlace before = place;
        if (node.is(Prim.IF)) {
            use(node.input(0), node.owner());
            place = new CodePlace(node.range(), node.kind(), method.call(node));
            branch(node);
            place = before;
        } else if (node.is(Prim.LOOP)) {
            loop(node);
            place = before;
        } else {
            work.push(() -> {
                place = new CodePlace(node.range(), node.kind(), method.call(node));
                nodes.emit(node);
                place = before;
            });
            List<Value> inputs = nodes.inputs(node);
            for (int i = inputs.size() - 1; i >= 0; i--) {
                Value input = inputs.get(i);
                work.push(() -> use(input, node.owner(), work));
            }
        }
    }

    private void branch(Node node) {
        int test = add("JF", 0, 0);
        block(node.blocks().get(0));
        int jump = add("JMP", 0, 0);
        code.set(test, new Instruction("JF", code.size() - test, 0));
        block(node.blocks().get(1));
        code.set(jump, new Instruction("JMP", code.size() - jump, 0));
    }

    private void loop(Node node) {
        nodes.constant(0L);
        node.inputs().forEach(input -> use(input, node.owner()));
        place = new CodePlace(node.range(), node.kind(), method.call(node));
        int start = add("LOOP", 0, node.inputs().size());
        Block body = node.blocks().get(0);
        define(body.parameters());
        block(body);
        add("JMP", start - code.size(), 0);
        code.set(
                start,
                new Instruction("LOOP", code.size() - start, node.inputs().size()));
    }

    /** Takes values from the stack into registers. */
    private void define(List<Value> values) {
        if (values.size() == 1 && !values.get(0).isUsed()) {
            add("DROP", 0, 0);
            return;
        }
        int first = lastRegister + 1;
        for (Value value : values) {
            registers.put(value, ++lastRegister);
            uses.put(value, value.uses().size());
        }
        if (values.size() == 1) {
            add("STORE", first, 0);
        } else if (!values.isEmpty()) {
            add("STOREN", first, values.size());
            for (Value value : values) {
                if (!value.isUsed()) {
                    add("DROPR", registers.get(value), 0);
                }
            }
        }
    }

    private static Block owner(Value value) {
        return value.definition() != null ? value.definition().owner() : value.parameterOf();
    }

    private void use(Value value, Block user) {
        Deque<Runnable> work = new ArrayDeque<>();
        use(value, user, work);
        drain(work);
    }

    /** @param work where a node that is emitted in place leaves what there is to do */
    private void use(Value value, Block user, Deque<Runnable> work) {
        Node definition = value.definition();
        if (definition != null && StackOrder.isConstant(definition)) {
            nodes.constant(definition.attribute("value"));
        } else if (definition != null && order.isInside(definition)) {
            expand(definition, work);
        } else {
            int left = uses.merge(value, -1, Integer::sum);
            boolean isLast = left == 0 && owner(value) == user;
            if (left == 0 && !isLast) {
                ended.add(value);
            }
            add(isLast ? "MOVE" : "LOAD", registers.get(value), 0);
        }
    }
}
