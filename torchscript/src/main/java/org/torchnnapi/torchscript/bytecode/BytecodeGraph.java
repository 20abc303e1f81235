package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Runs the stack machine on graph values instead of runtime values, which gives back the graph the code was made from:
 * branches and loops always have the jumps that PyTorch's compiler lays out for them.
 */
final class BytecodeGraph {
    private static final int MAX_DEPTH = 256;

    private final BytecodeFunction function;
    private final Graph graph = new Graph();
    private final InstructionTable table;
    private Block block = graph.block();
    private List<Value> stack = new ArrayList<>();
    private Map<Integer, Value> registers = new HashMap<>();
    private int floor;
    private int depth;
    private int at;
    /**
     * The first operator that this runtime lacks, or null: how many results it has nobody knows, so that the stack may
     * be wrong behind it.
     */
    private String unknown;

    private final InstructionLines lines;

    private BytecodeGraph(BytecodeLoader loader, BytecodeFunction function) {
        this.function = function;
        this.lines = loader.lines();
        this.table = new InstructionTable(loader, function, this);
    }

    /** @throws BytecodeException if the code is damaged or not accepted on mobile */
    static Graph build(BytecodeLoader loader, BytecodeFunction function) {
        BytecodeGraph builder = new BytecodeGraph(loader, function);
        function.schema()
                .arguments()
                .forEach(argument -> builder.push(builder.graph.addInput(argument.type(), argument.name())));
        builder.run(0, function.code().size());
        if (builder.graph.outputs().isEmpty()) {
            throw builder.error("the end of the code", "RET");
        }
        return builder.graph;
    }

    Graph graph() {
        return graph;
    }

    /** The instruction after the one being run, or null. */
    Instruction next() {
        return at + 1 < function.code().size() ? function.code().get(at + 1) : null;
    }

    void push(Value value) {
        stack.add(value);
    }

    /** Notes an operator that this runtime lacks, of which one result is supposed. */
    void unknown(String operator) {
        unknown = unknown == null ? operator : unknown;
    }

    private BytecodeException tooFew(String found, String expected) {
        return unknown == null
                ? error(found, expected)
                : error("unknown operator " + unknown, "an operator this runtime has");
    }

    Value pop() {
        if (stack.size() <= floor) {
            throw tooFew("an empty stack", "a value to take");
        }
        return stack.remove(stack.size() - 1);
    }

    /** The topmost values, lowest first. */
    List<Value> pop(int count) {
        if (count < 0 || count > stack.size() - floor) {
            throw tooFew((stack.size() - floor) + " values on the stack", String.valueOf(count));
        }
        List<Value> top = stack.subList(stack.size() - count, stack.size());
        List<Value> values = new ArrayList<>(top);
        top.clear();
        return values;
    }

    void store(int register, Value value) {
        registers.put(register, value);
    }

    Value load(int register) {
        Value value = registers.get(register);
        if (value == null) {
            throw error("register " + register + ", which is empty", "one that was stored to");
        }
        return value;
    }

    void clear(int register) {
        registers.remove(register);
    }

    Node append(Node node) {
        return block.append(node).range(lines.of(function.name(), at));
    }

    BytecodeException error(String found, String expected) {
        return new BytecodeException(
                function.name() + " at instruction " + at + ": " + found + " (expected: " + expected + ")");
    }

    /** Runs the instructions from {@code from} up to {@code to}. */
    private void run(int from, int to) {
        if (++depth > MAX_DEPTH) {
            throw error("branches and loops nested deeper than " + MAX_DEPTH, "at most that");
        }
        at = from;
        while (at < to) {
            Instruction instruction = function.code().get(at);
            switch (instruction.op()) {
                case "JF" -> at = branch(instruction, to);
                case "LOOP" -> at = loop(instruction, to);
                case "RET" -> {
                    if (depth > 1 || at != to - 1) {
                        throw error("RET", "it only as the last instruction");
                    }
                    block.addResult(pop());
                    at++;
                }
                default -> {
                    table.run(instruction);
                    at++;
                }
            }
        }
        depth--;
    }

    private int branch(Instruction instruction, int to) {
        int start = at;
        int otherwise = target(start, instruction.x(), to);
        int jump = otherwise - 1;
        if (jump <= start || !function.code().get(jump).op().equals("JMP")) {
            throw error("JF", "JMP before the instruction it jumps to");
        }
        int end = target(jump, function.code().get(jump).x(), to);
        Node node = graph.create(Prim.IF).addInput(typed(pop(), Type.Basic.BOOL, "a branch"));
        append(node);
        List<Value> a = inner(node.addBlock(), start + 1, jump, List.of());
        List<Value> b = inner(node.addBlock(), otherwise, end, List.of());
        at = start;
        if (a.size() != b.size()) {
            throw error("branches that leave " + a.size() + " and " + b.size() + " values", "as many");
        }
        for (int i = 0; i < a.size(); i++) {
            push(node.addOutput(joined(a.get(i), b.get(i))));
        }
        return end;
    }

    private int loop(Instruction instruction, int to) {
        int start = at;
        int exit = target(start, instruction.x(), to);
        int back = exit - 1;
        if (back <= start
                || !function.code().get(back).op().equals("JMP")
                || back + function.code().get(back).x() != start) {
            throw error("LOOP", "JMP back to it before the instruction it exits to");
        }
        List<Value> carried = pop(instruction.n() - 2);
        Value condition = typed(pop(), Type.Basic.BOOL, "a loop's condition");
        Value count = typed(pop(), Type.Basic.INT, "a loop's count");
        pop();
        Node node = graph.create(Prim.LOOP).addInput(count).addInput(condition);
        carried.forEach(node::addInput);
        append(node);
        Block body = node.addBlock();
        List<Value> parameters = new ArrayList<>();
        parameters.add(body.addParameter(Type.Basic.INT, null));
        carried.forEach(value -> parameters.add(body.addParameter(value.type(), null)));
        List<Value> results = inner(body, start + 1, back, parameters);
        at = start;
        if (results.size() != carried.size() + 1) {
            throw error("a loop body that leaves " + results.size() + " values", String.valueOf(carried.size() + 1));
        }
        typed(results.get(0), Type.Basic.BOOL, "a loop's condition");
        for (int i = 0; i < carried.size(); i++) {
            push(node.addOutput(joined(carried.get(i), results.get(i + 1))));
        }
        return exit;
    }

    /** A value that decides how code goes on, which may be one. */
    private Value typed(Value value, Type type, String what) {
        if (!TypeRelations.isSubtype(type, value.type()) && !TypeRelations.hasVariables(value.type())) {
            throw error(what + " by " + value.type().text(), type.text());
        }
        return value;
    }

    private static Type joined(Value a, Value b) {
        if (isUninitialized(a)) {
            return b.type();
        }
        Type type = isUninitialized(b) ? a.type() : TypeRelations.unify(a.type(), b.type());
        return type == null ? Type.Basic.ANY : type;
    }

    private static boolean isUninitialized(Value value) {
        return value.definition() != null && value.definition().is(Prim.UNINITIALIZED);
    }

    /** Runs instructions into another block; what they leave on the stack are its results. */
    private List<Value> inner(Block target, int from, int to, List<Value> parameters) {
        Block outerBlock = block;
        List<Value> outerStack = stack;
        Map<Integer, Value> outerRegisters = registers;
        int outerFloor = floor;
        block = target;
        stack = new ArrayList<>(parameters);
        floor = 0;
        registers = new HashMap<>(outerRegisters);
        run(from, to);
        List<Value> results = stack;
        results.forEach(target::addResult);
        block = outerBlock;
        stack = outerStack;
        registers = outerRegisters;
        floor = outerFloor;
        return results;
    }

    private int target(int from, int distance, int to) {
        long target = (long) from + distance;
        if (distance < 1 || target > to) {
            throw error("a jump to " + target, "one forward to at most " + to);
        }
        return (int) target;
    }
}
