package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The part of a {@link AbstractInterpreter} that goes into blocks: branches whose condition is known are taken, loops
 * whose turns are known unrolled.
 */
final class ControlFlowEvaluator {
    /** A loop whose turns leave more nodes than this, or take more steps, stays a loop. */
    private static final long MAX_UNROLLED_NODES = 20_000;

    private static final long MAX_LOOP_STEPS = 50_000;

    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final WideningState widening;

    ControlFlowEvaluator(AbstractInterpreter interpreter, ResidualGraph residual, WideningState widening) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.widening = widening;
    }

    void branch(Node node) {
        if (interpreter.of(node.input(0)) instanceof Known known && known.value() instanceof Boolean taken) {
            interpreter.decisions().decided(node, known);
            Block block = node.blocks().get(taken ? 0 : 1);
            interpreter.evaluate(block);
            for (int i = 0; i < node.outputs().size(); i++) {
                interpreter.define(
                        node.output(i), interpreter.of(block.results().get(i)));
            }
            return;
        }
        Block outer = residual.current();
        Node made =
                residual.create(Prim.IF).range(node.range()).addInput(residual.value(interpreter.of(node.input(0))));
        made.attributes().putAll(node.attributes());
        List<List<AbstractValue>> ends = new ArrayList<>();
        for (Block block : node.blocks()) {
            residual.enter(made.addBlock());
            interpreter.evaluate(block);
            ends.add(block.results().stream().map(interpreter::of).collect(Streams.toList()));
        }
        residual.enter(outer);
        residual.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            interpreter.joins(node.output(i), ends.get(0).get(i));
            interpreter.joins(node.output(i), ends.get(1).get(i));
            interpreter.define(
                    node.output(i),
                    joined(
                            made,
                            node.output(i).type(),
                            node.output(i).name(),
                            ends.get(0).get(i),
                            ends.get(1).get(i)));
        }
    }

    private AbstractValue joined(Node made, Type type, String name, AbstractValue one, AbstractValue other) {
        if (one == other
                || one instanceof Known a
                        && other instanceof Known b
                        && !(a.value() instanceof Tensor)
                        && Objects.equals(a.value(), b.value())
                        && (a.value() == null
                                || a.value().getClass() == b.value().getClass())) {
            return one;
        }
        if (one instanceof Held a
                && a.container() instanceof ScriptTuple first
                && other instanceof Held b
                && b.container() instanceof ScriptTuple second
                && first.size() == second.size()
                && type instanceof Type.TupleType tuple) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < first.size(); i++) {
                items.add(joined(made, tuple.elements().get(i), null, (AbstractValue) first.get(i), (AbstractValue)
                        second.get(i)));
            }
            return new Held(
                    new ScriptTuple(items, tuple.name() != null ? tuple : null), type, made, residual.current());
        }
        Block outer = residual.current();
        AbstractValue[] ways = {one, other};
        Object[] samples = new Object[2];
        boolean[] raises = new boolean[2];
        for (int i = 0; i < 2; i++) {
            Block inner = made.blocks().get(i);
            if (ways[i] instanceof Held held && held.home() != inner) {
                interpreter.escape(held);
            }
            residual.enter(inner);
            AbstractValue filled = interpreter.optionals().filled(ways[i], made);
            ways[i] = filled == null ? ways[i] : filled;
            inner.addResult(residual.value(ways[i]));
            samples[i] = AbstractInterpreter.sample(ways[i]);
            raises[i] = inner.nodes().stream().anyMatch(NodeBuilder::isRaise);
        }
        residual.enter(outer);
        Object sample = raises[0] ? samples[1] : raises[1] || sameShapes(samples[0], samples[1]) ? samples[0] : null;
        Value out = made.addOutput(type).name(name);
        AbstractValue joined = interpreter.open(out, sample);
        if (sample == null) {
            interpreter.optionals().join(out, one, other);
            interpreter
                    .openRows()
                    .join(out, raises[1] ? one : raises[0] ? other : one, raises[0] ? other : raises[1] ? one : other);
        }
        return joined;
    }

    private static boolean sameShapes(Object one, Object other) {
        return one instanceof Tensor a
                && other instanceof Tensor b
                && TensorFacts.of(a).equals(TensorFacts.of(b));
    }

    void loop(Node node) {
        boolean known = interpreter.of(node.input(0)) instanceof Known trips
                && trips.value() instanceof Long
                && interpreter.of(node.input(1)) instanceof Known start
                && start.value() instanceof Boolean;
        if (known && !widening.staysLoop(node) && node.attribute(Node.STAYS) == null) {
            unroll(node, (Long) ((Known) interpreter.of(node.input(0))).value(), (Boolean)
                    ((Known) interpreter.of(node.input(1))).value());
        } else {
            leaveLoop(node);
        }
    }

    private void unroll(Node node, long trips, boolean start) {
        Block body = node.blocks().get(0);
        List<AbstractValue> carried = node.inputs().subList(2, node.inputs().size()).stream()
                .map(interpreter::of)
                .collect(Streams.toList());
        interpreter.decisions().decided(node, interpreter.of(node.input(0)));
        interpreter.decisions().decided(node, interpreter.of(node.input(1)));
        boolean goes = start;
        long before = residual.size();
        long stepsBefore = interpreter.steps();
        for (long turn = 0; goes && turn < trips; turn++) {
            interpreter.define(body.parameters().get(0), new Known(turn));
            for (int i = 0; i < carried.size(); i++) {
                interpreter.define(body.parameters().get(i + 1), carried.get(i));
            }
            interpreter.evaluate(body);
            interpreter.step();
            List<AbstractValue> results =
                    body.results().stream().map(interpreter::of).collect(Streams.toList());
            boolean large =
                    residual.size() - before > MAX_UNROLLED_NODES || interpreter.steps() - stepsBefore > MAX_LOOP_STEPS;
            if (large
                    || !(results.get(0) instanceof Known condition)
                    || !(condition.value() instanceof Boolean again)) {
                widening.loop(node);
                throw new WideningState.Again();
            }
            interpreter.decisions().decided(node, condition);
            goes = again;
            carried = results.subList(1, results.size());
        }
        for (int i = 0; i < carried.size(); i++) {
            interpreter.define(node.output(i), carried.get(i));
        }
    }

    private void leaveLoop(Node node) {
        Block body = node.blocks().get(0);
        Node made = residual.create(Prim.LOOP).range(node.range());
        made.attributes().putAll(node.attributes());
        for (int i = 0; i < node.inputs().size(); i++) {
            if (i >= 2) {
                interpreter.escape(interpreter.of(node.input(i)));
                interpreter.joins(node.output(i - 2), interpreter.of(node.input(i)));
            }
            made.addInput(residual.value(interpreter.of(node.input(i))));
        }
        Block outer = residual.current();
        Block inner = made.addBlock();
        residual.enter(inner);
        Object[] samples = new Object[body.parameters().size()];
        for (int i = 0; i < samples.length; i++) {
            Value parameter = body.parameters().get(i);
            Value own = inner.addParameter(parameter.type(), parameter.name());
            Object sample = i == 0 || widening.hasOpenShape(parameter)
                    ? null
                    : AbstractInterpreter.sample(interpreter.of(node.input(i + 1)));
            samples[i] = sample instanceof Tensor tensor ? tensor : null;
            interpreter.define(parameter, interpreter.open(own, samples[i]));
        }
        interpreter.state().loops(1);
        interpreter.evaluate(body);
        interpreter.state().loops(-1);
        List<AbstractValue> results =
                body.results().stream().map(interpreter::of).collect(Streams.toList());
        for (int i = 0; i < results.size(); i++) {
            if (i > 0) {
                interpreter.joins(node.output(i - 1), results.get(i));
            }
            if (results.get(i) instanceof Held held && held.home() != inner) {
                interpreter.escape(held);
            }
            inner.addResult(residual.value(results.get(i)));
            if (i > 0 && samples[i] != null && !sameShapes(samples[i], AbstractInterpreter.sample(results.get(i)))) {
                widening.shape(body.parameters().get(i));
                samples[i] = null;
            }
        }
        residual.enter(outer);
        residual.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            interpreter.define(
                    node.output(i),
                    interpreter.open(
                            made.addOutput(node.output(i).type())
                                    .name(node.output(i).name()),
                            samples[i + 1]));
        }
    }

    void leaveWhole(Node node) {
        interpreter.state().meetUnknown();
        Map<Value, Value> names = new HashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            public Value get(Object value) {
                Value own = super.get(value);
                if (own == null) {
                    interpreter.escape(interpreter.of((Value) value));
                    interpreter.joins((Value) value, interpreter.of((Value) value));
                    own = residual.value(interpreter.of((Value) value));
                }
                return own;
            }
        };
        Node alone = residual.append(new BlockCopy(interpreter.graph(), names).copyOf(node));
        for (int i = 0; i < node.outputs().size(); i++) {
            interpreter.define(node.output(i), interpreter.open(alone.output(i), null));
        }
    }
}
