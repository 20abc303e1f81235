package org.torchnnapi.converter.free.specialise;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.torchnnapi.converter.free.specialise.Abstract.Held;
import org.torchnnapi.converter.free.specialise.Abstract.Known;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** The part of a {@link Walk} that goes into blocks: branches whose condition is known are taken, loops whose turns are known unrolled. */
final class BlockWalk {
    /** A loop whose turns leave more nodes than this, or take more steps, stays a loop. */
    private static final long MAX_UNROLLED_NODES = 20_000;
    private static final long MAX_LOOP_STEPS = 50_000;

    private final Walk walk;
    private final Residue residue;
    private final Openings openings;

    BlockWalk(Walk walk, Residue residue, Openings openings) {
        this.walk = walk;
        this.residue = residue;
        this.openings = openings;
    }

    void branch(Node node) {
        if (walk.of(node.input(0)) instanceof Known known && known.value() instanceof Boolean taken) {
            Block block = node.blocks().get(taken ? 0 : 1);
            walk.walk(block);
            for (int i = 0; i < node.outputs().size(); i++) {
                walk.define(node.output(i), walk.of(block.results().get(i)));
            }
            return;
        }
        Block outer = residue.current();
        Node made = residue.create("prim::If").range(node.range()).addInput(residue.value(walk.of(node.input(0))));
        made.attributes().putAll(node.attributes());
        List<List<Abstract>> ends = new ArrayList<>();
        for (Block block : node.blocks()) {
            residue.enter(made.addBlock());
            walk.walk(block);
            ends.add(block.results().stream().map(walk::of).collect(Streams.toList()));
        }
        residue.enter(outer);
        residue.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            walk.define(node.output(i), joined(made, node.output(i).type(), node.output(i).name(), ends.get(0).get(i), ends.get(1).get(i)));
        }
    }

    private Abstract joined(Node made, Type type, String name, Abstract one, Abstract other) {
        if (one == other || one instanceof Known a && other instanceof Known b && !(a.value() instanceof Tensor) && Objects.equals(a.value(), b.value())
            && (a.value() == null || a.value().getClass() == b.value().getClass())) {
            return one;
        }
        if (one instanceof Held a && a.container() instanceof ScriptTuple first && other instanceof Held b && b.container() instanceof ScriptTuple second
            && first.size() == second.size() && type instanceof Type.TupleType tuple) {
            List<Object> items = new ArrayList<>();
            for (int i = 0; i < first.size(); i++) {
                items.add(joined(made, tuple.elements().get(i), null, (Abstract) first.get(i), (Abstract) second.get(i)));
            }
            return new Held(new ScriptTuple(items, tuple.name() != null ? tuple : null), type, made, residue.current());
        }
        Block outer = residue.current();
        Abstract[] ways = {one, other};
        Object[] samples = new Object[2];
        boolean[] raises = new boolean[2];
        for (int i = 0; i < 2; i++) {
            Block inner = made.blocks().get(i);
            if (ways[i] instanceof Held held && held.home() != inner) {
                walk.escape(held);
            }
            residue.enter(inner);
            Abstract filled = walk.optionals().filled(ways[i], made);
            ways[i] = filled == null ? ways[i] : filled;
            inner.addResult(residue.value(ways[i]));
            samples[i] = Walk.sample(ways[i]);
            raises[i] = inner.nodes().stream().anyMatch(node -> node.is("prim::RaiseException"));
        }
        residue.enter(outer);
        Object sample = raises[0] ? samples[1] : raises[1] || sameShapes(samples[0], samples[1]) ? samples[0] : null;
        Value out = made.addOutput(type).name(name);
        Abstract joined = walk.open(out, sample);
        if (sample == null) {
            walk.optionals().join(out, one, other);
            walk.openRows().join(out, raises[1] ? one : raises[0] ? other : one, raises[0] ? other : raises[1] ? one : other);
        }
        return joined;
    }

    private static boolean sameShapes(Object one, Object other) {
        return one instanceof Tensor a && other instanceof Tensor b && TensorFacts.of(a).equals(TensorFacts.of(b));
    }

    void loop(Node node) {
        boolean known = walk.of(node.input(0)) instanceof Known trips && trips.value() instanceof Long && walk.of(node.input(1)) instanceof Known start
            && start.value() instanceof Boolean;
        if (known && !openings.staysLoop(node) && node.attribute(Node.STAYS) == null) {
            unroll(node, (Long) ((Known) walk.of(node.input(0))).value(), (Boolean) ((Known) walk.of(node.input(1))).value());
        } else {
            leaveLoop(node);
        }
    }

    private void unroll(Node node, long trips, boolean start) {
        Block body = node.blocks().get(0);
        List<Abstract> carried = node.inputs().subList(2, node.inputs().size()).stream().map(walk::of).collect(Streams.toList());
        boolean goes = start;
        long before = residue.size();
        long stepsBefore = walk.steps();
        for (long turn = 0; goes && turn < trips; turn++) {
            walk.define(body.parameters().get(0), new Known(turn));
            for (int i = 0; i < carried.size(); i++) {
                walk.define(body.parameters().get(i + 1), carried.get(i));
            }
            walk.walk(body);
            walk.step();
            List<Abstract> results = body.results().stream().map(walk::of).collect(Streams.toList());
            boolean large = residue.size() - before > MAX_UNROLLED_NODES || walk.steps() - stepsBefore > MAX_LOOP_STEPS;
            if (large || !(results.get(0) instanceof Known condition && condition.value() instanceof Boolean)) {
                openings.loop(node);
                throw new Openings.Again();
            }
            goes = (Boolean) ((Known) results.get(0)).value();
            carried = results.subList(1, results.size());
        }
        for (int i = 0; i < carried.size(); i++) {
            walk.define(node.output(i), carried.get(i));
        }
    }

    private void leaveLoop(Node node) {
        Block body = node.blocks().get(0);
        Node made = residue.create("prim::Loop").range(node.range());
        made.attributes().putAll(node.attributes());
        for (int i = 0; i < node.inputs().size(); i++) {
            if (i >= 2) {
                walk.escape(walk.of(node.input(i)));
            }
            made.addInput(residue.value(walk.of(node.input(i))));
        }
        Block outer = residue.current();
        Block inner = made.addBlock();
        residue.enter(inner);
        Object[] samples = new Object[body.parameters().size()];
        for (int i = 0; i < samples.length; i++) {
            Value parameter = body.parameters().get(i);
            Value own = inner.addParameter(parameter.type(), parameter.name());
            Object sample = i == 0 || openings.hasOpenShape(parameter) ? null : Walk.sample(walk.of(node.input(i + 1)));
            samples[i] = sample instanceof Tensor tensor ? tensor : null;
            walk.define(parameter, walk.open(own, samples[i]));
        }
        walk.state().loops(1);
        walk.walk(body);
        walk.state().loops(-1);
        List<Abstract> results = body.results().stream().map(walk::of).collect(Streams.toList());
        for (int i = 0; i < results.size(); i++) {
            if (results.get(i) instanceof Held held && held.home() != inner) {
                walk.escape(held);
            }
            inner.addResult(residue.value(results.get(i)));
            if (i > 0 && samples[i] != null && !sameShapes(samples[i], Walk.sample(results.get(i)))) {
                openings.shape(body.parameters().get(i));
                samples[i] = null;
            }
        }
        residue.enter(outer);
        residue.append(made);
        for (int i = 0; i < node.outputs().size(); i++) {
            walk.define(node.output(i), walk.open(made.addOutput(node.output(i).type()).name(node.output(i).name()), samples[i + 1]));
        }
    }

    void leaveWhole(Node node) {
        walk.state().meetUnknown();
        Map<Value, Value> names = new HashMap<>() {
            private static final long serialVersionUID = 1;

            @Override
            public Value get(Object value) {
                Value own = super.get(value);
                if (own == null) {
                    walk.escape(walk.of((Value) value));
                    own = residue.value(walk.of((Value) value));
                }
                return own;
            }
        };
        Node alone = residue.append(new BlockCopy(walk.graph(), names).copyOf(node));
        for (int i = 0; i < node.outputs().size(); i++) {
            walk.define(node.output(i), walk.open(alone.output(i), null));
        }
    }
}
