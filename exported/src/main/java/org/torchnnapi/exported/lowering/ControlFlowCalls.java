package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Branches and loops that elements decide, as the calls of {@code cond} and {@code while_loop} that programs have. Both
 * ways of a branch are recorded, and one round of a loop; what differs in them but tensors of one type and size is
 * noted as a problem.
 */
final class ControlFlowCalls {
    static final String LASTING =
            "a branch or loop that elements decide changes what was there before it, which programs do not";

    private static final FunctionSchema.Argument VALUE = FunctionSchema.Argument.of("", Type.Basic.ANY);
    private static final FunctionSchema.Argument TENSORS = FunctionSchema.Argument.of("", Type.list(Type.Basic.TENSOR));
    private static final OperatorHook PLAIN = (node, kernel, arguments) -> kernel.call(arguments);

    /** What a graph of its own gave. */
    private record Way(ProgramRecorder recorder, Object[] values) {}

    private final ProgramRecorder recorder;

    ControlFlowCalls(ProgramRecorder recorder) {
        this.recorder = recorder;
    }

    /** @see OperatorHook#branch */
    Object[] branch(Node node, OperatorHook.Part then, OperatorHook.Part otherwise) {
        Tensor truth = recorder.decisions().of(node.input(0));
        if (truth == null) {
            return null;
        }
        for (int i = 0; i < 2; i++) {
            Node raise = raise(node.blocks().get(i));
            if (raise != null) {
                require(raise, truth, i == 1);
                return null;
            }
        }
        Map<GraphTensor, GraphTensor> operands = new LinkedHashMap<>();
        Way[] ways = {way(node, then, operands), way(node, otherwise, operands)};
        boolean taken = truth.getDouble(0) != 0;
        Object[] results = new Object[node.outputs().size()];
        List<List<Tensor>> inner = List.of(new ArrayList<>(), new ArrayList<>());
        List<Tensor> made = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            Object[] both = {ways[0].values()[i], ways[1].values()[i]};
            for (int k = 0; k < 2; k++) {
                Node maker = node.blocks().get(k).results().get(i).definition();
                // What nobody reads is as the other way has it.
                both[k] = maker != null && maker.is("prim::Uninitialized") ? zeros(both[1 - k]) : both[k];
            }
            results[i] = ProgramGraph.copied(both[taken ? 0 : 1]);
            if (Decisions.decides(node.output(i))) {
                for (int k = 0; k < 2; k++) {
                    Value result = node.blocks().get(k).results().get(i);
                    inner.get(k).add(recorder.decisions().of(result, both[k]));
                }
                Tensor decided = Decisions.tensor(results[i]);
                recorder.decisions().put(node.output(i), decided);
                made.add(decided);
            } else if (isAlike(both[0], both[1])) {
                inner.get(0).addAll(tensors(both[0]));
                inner.get(1).addAll(tensors(both[1]));
                made.addAll(tensors(results[i]));
            } else {
                differs(node, i, "both ways of a branch");
                return results;
            }
        }
        SubGraph[] graphs = new SubGraph[2];
        boolean lasts = false;
        for (int k = 0; k < 2; k++) {
            List<GraphTensor> own = own(ways[k].recorder(), inner.get(k));
            lasts |= ways[k].recorder().calls().stream().anyMatch(RecordedCall::lasts);
            graphs[k] =
                    graph((k == 0 ? "true" : "false") + "_graph", List.of(), operands, ways[k].recorder(), own, false);
        }
        List<Object> arguments = new ArrayList<>(Arrays.asList(recorder.named(truth), graphs[0], graphs[1]));
        arguments.add(new ArrayList<>(operands.keySet()));
        add("cond", List.of(VALUE, VALUE, VALUE, TENSORS), arguments, node, lasts, made, inner.get(taken ? 0 : 1));
        return results;
    }

    /** @see OperatorHook#loop */
    Object[] loop(Node node, long rounds, long left, Object[] carried, OperatorHook.Part round) {
        Decisions decisions = recorder.decisions();
        Block body = node.blocks().get(0);
        Tensor truth = decisions.of(rounds == 0 ? node.input(1) : body.results().get(0));
        if (truth == null) {
            return null;
        }
        Value index = body.parameters().get(0);
        boolean counts = index.isUsed() || left < Long.MAX_VALUE - rounds;
        if (index.isUsed() && !Decisions.decides(index)) {
            recorder.problem(node.kind(), node.range(), "the number of a round of a loop that elements end");
            return null;
        }
        Map<GraphTensor, GraphTensor> operands = new LinkedHashMap<>();
        ProgramRecorder inside = new ProgramRecorder(recorder, operands);
        Object[] given = copies(carried);
        List<Tensor> starts = new ArrayList<>(List.of(truth));
        List<Tensor> formals = new ArrayList<>(List.of(Decisions.tensor(true)));
        if (counts) {
            starts.add(Decisions.tensor(rounds));
            formals.add(Decisions.tensor(rounds));
            decisions.put(index, formals.get(1));
        }
        boolean[] decides = new boolean[given.length];
        for (int i = 0; i < given.length; i++) {
            Value now = rounds == 0 ? node.input(i + 2) : body.results().get(i + 1);
            Value parameter = body.parameters().get(i + 1);
            decides[i] = Decisions.decides(parameter) && Decisions.decides(node.output(i));
            if (decides[i]) {
                starts.add(decisions.of(now, carried[i]));
                formals.add((Tensor) ProgramGraph.copied(starts.get(starts.size() - 1)));
                decisions.put(parameter, formals.get(formals.size() - 1));
            } else {
                starts.addAll(tensors(carried[i]));
                formals.addAll(tensors(given[i]));
            }
        }
        List<GraphTensor> first = new ArrayList<>();
        // What is carried shows no memory of anything else that the loop takes.
        for (Tensor start : starts) {
            first.add(recorder.named((Tensor) OperatorCalls.run(recorder, node, "aten::clone", start)));
        }
        List<GraphTensor> named = new ArrayList<>();
        formals.forEach(tensor -> named.add(inside.carried(tensor)));
        Object[] next = round.run(given, inside);
        if (inside.wroteOutside()) {
            recorder.problem(node.kind(), node.range(), LASTING);
        }
        List<Tensor> results =
                new ArrayList<>(List.of(decisions.of(body.results().get(0), next[0])));
        if (counts) {
            results.add((Tensor) OperatorCalls.run(inside, node, "aten::add.Scalar", formals.get(1), 1L, 1L));
        }
        for (int i = 0; i < given.length; i++) {
            if (decides[i]) {
                results.add(decisions.of(body.results().get(i + 1), next[i + 1]));
                continue;
            }
            if (!isAlike(given[i], next[i + 1])) {
                differs(node, i, "all rounds of a loop");
            }
            results.addAll(tensors(next[i + 1]));
        }
        Object[] last = copies(finished(truth.getDouble(0) != 0, left, carried, round));
        List<Tensor> made = new ArrayList<>(List.of(Decisions.tensor(false)));
        if (counts) {
            made.add(Decisions.tensor(rounds));
        }
        for (int i = 0; i < last.length; i++) {
            if (decides[i]) {
                Tensor decided = Decisions.tensor(last[i]);
                decisions.put(node.output(i), decided);
                made.add(decided);
            } else {
                made.addAll(tensors(last[i]));
            }
        }
        SubGraph asked = asked(node, named, formals, operands, counts ? rounds + left : Long.MAX_VALUE);
        SubGraph repeated = graph("while_loop_body_graph", named, operands, inside, own(inside, results), false);
        List<Object> arguments = new ArrayList<>(List.of(asked, repeated, first));
        arguments.add(new ArrayList<>(operands.keySet()));
        boolean lasts = inside.calls().stream().anyMatch(RecordedCall::lasts);
        add("while_loop", List.of(VALUE, VALUE, TENSORS, TENSORS), arguments, node, lasts, made, results);
        return last;
    }

    /** The graph that says whether a loop goes on: the first carried tensor, and rounds are left. */
    private SubGraph asked(
            Node node,
            List<GraphTensor> carried,
            List<Tensor> formals,
            Map<GraphTensor, GraphTensor> operands,
            long most) {
        ProgramRecorder asking = new ProgramRecorder(recorder, operands);
        List<GraphTensor> own = new ArrayList<>(carried);
        own.set(0, asking.carried(formals.get(0)));
        GraphTensor answer;
        if (most == Long.MAX_VALUE) {
            answer = asking.copied(formals.get(0));
        } else {
            own.set(1, asking.carried(formals.get(1)));
            Object left = OperatorCalls.run(asking, node, "aten::lt.Scalar", formals.get(1), most);
            answer = asking.named((Tensor) OperatorCalls.run(asking, node, "aten::logical_and", formals.get(0), left));
        }
        return graph("while_loop_cond_graph", own, operands, asking, List.of(answer), true);
    }

    /** Runs a loop to its end as it is. */
    private static Object[] finished(boolean begins, long left, Object[] carried, OperatorHook.Part round) {
        Object[] now = copies(carried);
        boolean goesOn = begins;
        for (long i = 0; i < left && goesOn; i++) {
            Interpreter.checkInterrupt();
            Object[] next = round.run(now, PLAIN);
            goesOn = (Boolean) next[0];
            now = Arrays.copyOfRange(next, 1, next.length);
        }
        return now;
    }

    private Way way(Node node, OperatorHook.Part part, Map<GraphTensor, GraphTensor> operands) {
        ProgramRecorder inside = new ProgramRecorder(recorder, operands);
        Object[] values = part.run(null, inside);
        if (inside.wroteOutside()) {
            recorder.problem(node.kind(), node.range(), LASTING);
        }
        return new Way(inside, values);
    }

    private SubGraph graph(
            String label,
            List<GraphTensor> carried,
            Map<GraphTensor, GraphTensor> operands,
            ProgramRecorder inside,
            List<GraphTensor> results,
            boolean single) {
        return new SubGraph(label, carried, operands, inside.calls(), results, single, recorder.classNames());
    }

    private void add(
            String operator,
            List<FunctionSchema.Argument> formals,
            List<Object> arguments,
            Node node,
            boolean lasts,
            List<Tensor> made,
            List<Tensor> like) {
        List<GraphTensor> named = new ArrayList<>();
        for (int i = 0; i < made.size(); i++) {
            recorder.dependence().follow(like.get(i), made.get(i));
            recorder.dependence().vary(made.get(i));
            named.add(recorder.result(made.get(i)));
        }
        recorder.add(
                new RecordedCall(RecordedCall.HIGHER_ORDER + operator, formals, arguments, node.range(), lasts), named);
    }

    /** Results of a graph, none of which shows the memory of another or of what the graph is given. */
    private static List<GraphTensor> own(ProgramRecorder inside, List<Tensor> results) {
        Set<Storage> shown = Collections.newSetFromMap(new IdentityHashMap<>());
        results.forEach(inside::named);
        inside.outside().forEach(tensor -> shown.add(inside.dependence().root(tensor)));
        List<GraphTensor> own = new ArrayList<>();
        for (Tensor result : results) {
            GraphTensor named = inside.named(result);
            own.add(shown.add(inside.dependence().root(result)) ? named : inside.copied(result));
        }
        return own;
    }

    /** The node of a block that raises an error wherever the block runs; null if none does. */
    private static Node raise(Block block) {
        return block.nodes().stream()
                .filter(node -> node.is("prim::RaiseException"))
                .findFirst()
                .orElse(null);
    }

    /** A branch that raises is a check of what decides it. */
    private void require(Node raise, Tensor truth, boolean holds) {
        Tensor wanted = holds ? truth : (Tensor) OperatorCalls.run(recorder, raise, "aten::logical_not", truth);
        Node text = raise.input(0).definition();
        Object told = text == null ? null : text.attribute("value");
        OperatorCalls.run(recorder, raise, "aten::_assert_async.msg", wanted, told instanceof String ? told : "");
    }

    private void differs(Node node, int index, String where) {
        recorder.problem(
                node.kind(),
                node.range(),
                "value " + index + " is another number, or a tensor of another type or size, in " + where
                        + " that elements decide, which programs do not have");
    }

    private static Object zeros(Object value) {
        return value instanceof Tensor tensor ? Tensor.zeros(tensor.dtype(), tensor.sizes()) : value;
    }

    private static Object[] copies(Object[] values) {
        Object[] copies = new Object[values.length];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = ProgramGraph.copied(values[i]);
        }
        return copies;
    }

    private static List<Tensor> tensors(Object value) {
        List<Tensor> tensors = new ArrayList<>();
        TreeSpec.leaves("", value, (path, leaf) -> {
            if (leaf instanceof Tensor tensor) {
                tensors.add(tensor);
            }
        });
        return tensors;
    }

    /** Whether values are the same but for elements. */
    private static boolean isAlike(Object one, Object other) {
        if (one instanceof Tensor a && other instanceof Tensor b) {
            return a.dtype() == b.dtype()
                    && Arrays.equals(a.sizes(), b.sizes())
                    && Objects.equals(a.quantization(), b.quantization());
        }
        if (!TreeSpec.isContainer(one) || !TreeSpec.isContainer(other)) {
            return Objects.equals(one, other);
        }
        List<Object> ours = new ArrayList<>();
        List<Object> theirs = new ArrayList<>();
        TreeSpec.parts(one, (key, part) -> Collections.addAll(ours, key, part));
        TreeSpec.parts(other, (key, part) -> Collections.addAll(theirs, key, part));
        boolean alike = ours.size() == theirs.size();
        for (int i = 0; alike && i < ours.size(); i++) {
            alike = isAlike(ours.get(i), theirs.get(i));
        }
        return alike;
    }
}
