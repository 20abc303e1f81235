package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.operators.AxisMap.Axis;
import org.torchnnapi.operators.AxisMap.Operand;
import org.torchnnapi.operators.AxisMap.Role;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * The {@link AxisMap} of an operator that is said in others, from theirs: it runs, and each tensor on the way knows
 * where the dimensions of the arguments are in it. What an operator without rules makes is a source of its own, which
 * may differ along each of its dimensions.
 */
final class ComposedAxes {
    /** Of each source that is in a tensor, where its dimensions went. */
    private final Map<Tensor, Map<Integer, List<Axis>>> known = new IdentityHashMap<>();
    /** The arguments that are sources; others have no argument. */
    private final List<Operand> sources = new ArrayList<>();

    private boolean lost;

    private ComposedAxes() {}

    static AxisMap of(Operator operator, Object... arguments) {
        if (operator.schema().isMutating()
                || operator.schema().returns().size() != 1
                || OperatorTrait.RANDOM.of(operator.schema())
                || !OperatorTrait.COMPOSITE.of(operator.schema())) {
            return null;
        }
        Function made = operator.decomposition();
        if (made == null) {
            return null;
        }
        ComposedAxes axes = new ComposedAxes();
        Object[] own = new Object[arguments.length];
        for (int i = 0; i < own.length; i++) {
            own[i] = axes.source(arguments[i], i);
        }
        try {
            Object result = GraphEvaluator.call(made, own, (node, kernel, given) -> {
                Object results = kernel.call(given);
                axes.follow(
                        node.schema() == null
                                ? null
                                : OperatorRegistry.withBuiltins()
                                        .find(node.schema().fullName()),
                        given,
                        results);
                return results;
            });
            return axes.lost || !(result instanceof Tensor tensor) ? null : axes.map(tensor);
        } catch (RuntimeException unfit) {
            return null;
        }
    }

    private Object source(Object argument, int at) {
        if (argument instanceof Tensor tensor) {
            return added(tensor, at, -1);
        }
        if (!(argument instanceof ScriptList list)) {
            return argument;
        }
        List<Object> items = new ArrayList<>();
        for (int i = 0; i < list.size(); i++) {
            Object item = list.items().get(i);
            items.add(item instanceof Tensor tensor ? added(tensor, at, i) : item);
        }
        return new ScriptList(list.elementType(), items);
    }

    /** One object for each argument, as a tensor may be several of them. */
    private Tensor added(Tensor given, int argument, int item) {
        Tensor own = given.asStrided(given.sizes(), given.strides(), given.offset());
        add(own, argument, item);
        return own;
    }

    private void add(Tensor tensor, int argument, int item) {
        List<Axis> axes = new ArrayList<>();
        for (int d = 0; d < tensor.rank(); d++) {
            axes.add(Axis.follows(d));
        }
        known.computeIfAbsent(tensor, t -> new TreeMap<>()).put(sources.size(), axes);
        sources.add(new Operand(argument, item, axes));
    }

    private void follow(Operator operator, Object[] arguments, Object results) {
        boolean takes = false;
        for (Object argument : arguments) {
            takes |= argument instanceof Tensor;
        }
        if (!(results instanceof Tensor made)) {
            boolean geometry = operator != null
                    && (OperatorTrait.READS_GEOMETRY.of(operator.schema())
                            || OperatorTrait.READS_SIZES.of(operator.schema()));
            // What is listed, or several results, have no map of their own.
            lost |= takes && !geometry;
            return;
        }
        if (operator == null || operator.schema().isMutating()) {
            lost = true;
            return;
        }
        if (known.containsKey(made)) {
            return;
        }
        AxisMap map = AxisMap.of(operator, arguments);
        Map<Integer, List<Axis>> axes = known.computeIfAbsent(made, t -> new TreeMap<>());
        if (map == null) {
            add(made, -1, -1);
            for (Object argument : arguments) {
                hide(argument, axes);
            }
            return;
        }
        for (Operand operand : map.operands()) {
            Object argument = arguments[operand.argument()];
            Object tensor = operand.item() < 0
                    ? argument
                    : ((ScriptList) argument).items().get(operand.item());
            known.getOrDefault(tensor, Collections.emptyMap())
                    .forEach((source, own) -> axes.merge(source, through(own, operand.axes()), ComposedAxes::both));
        }
    }

    /** All that is in an argument may be anywhere. */
    private void hide(Object argument, Map<Integer, List<Axis>> axes) {
        if (argument instanceof ScriptList list) {
            list.items().forEach(item -> hide(item, axes));
        } else if (argument instanceof Tensor) {
            known.getOrDefault(argument, Collections.emptyMap())
                    .forEach((source, own) -> axes.put(source, Collections.nCopies(own.size(), Axis.REDUCED)));
        }
    }

    private static List<Axis> through(List<Axis> own, List<Axis> further) {
        List<Axis> axes = new ArrayList<>();
        for (Axis axis : own) {
            Axis next = axis.role() == Role.REDUCED ? Axis.REDUCED : further.get(axis.dimension());
            axes.add(
                    axis.role() == Role.FOLLOWS || next.role() == Role.REDUCED
                            ? next
                            : next.role() == Role.FOLLOWS ? new Axis(axis.role(), next.dimension()) : Axis.REDUCED);
        }
        return axes;
    }

    private static List<Axis> both(List<Axis> one, List<Axis> other) {
        List<Axis> axes = new ArrayList<>();
        for (int d = 0; d < one.size(); d++) {
            axes.add(one.get(d).equals(other.get(d)) ? one.get(d) : Axis.REDUCED);
        }
        return axes;
    }

    /** Nothing follows along a dimension along which something else differs. */
    private AxisMap map(Tensor result) {
        Map<Integer, List<Axis>> axes = known.getOrDefault(result, Collections.emptyMap());
        boolean[] differs = new boolean[result.rank()];
        axes.forEach((source, own) -> {
            for (Axis axis : own) {
                boolean alone = sources.get(source).argument() < 0 && axis.role() == Role.FOLLOWS;
                if (alone || axis.role() == Role.JOINED) {
                    differs[axis.dimension()] = true;
                }
            }
        });
        List<Operand> operands = new ArrayList<>();
        axes.forEach((source, own) -> {
            Operand argument = sources.get(source);
            if (argument.argument() >= 0) {
                List<Axis> kept = new ArrayList<>();
                own.forEach(axis ->
                        kept.add(axis.role() == Role.FOLLOWS && differs[axis.dimension()] ? Axis.REDUCED : axis));
                operands.add(new Operand(argument.argument(), argument.item(), kept));
            }
        });
        return new AxisMap(result.sizes(), operands);
    }
}
