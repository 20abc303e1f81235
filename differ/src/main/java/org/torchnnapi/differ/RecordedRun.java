package org.torchnnapi.differ;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.NnapiObserver;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.passes.Passes;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * One run of a model, operator by operator, with what each gave. To be given to
 * {@link org.torchnnapi.engine.EngineOptions#withObserver} as the model is loaded, so that the operations of its NNAPI
 * parts are in it too.
 */
public final class RecordedRun implements NnapiObserver {
    private final List<RecordedStep> steps = new ArrayList<>();
    /** What the latest step gave in another shape, or null. */
    private RecordedStep reshaped;

    private Object result;

    /** What {@code forward} returned. */
    public Object result() {
        return result;
    }

    /**
     * What computed a tensor, in order; an activation is one with what it follows, be it in another shape: NNAPI's
     * layers want other ranks than PyTorch's.
     */
    public List<RecordedStep> steps() {
        return steps;
    }

    /**
     * Runs {@code forward} with all calls inlined and batch normalization folded. To be called once.
     *
     * @param arguments without the module; not changed by the run
     * @throws IllegalArgumentException if there is no forward or they do not fit it
     */
    public RecordedRun run(LoadedModel model, List<Object> arguments) {
        Function method = model.module().method("forward");
        if (method == null) {
            throw new IllegalArgumentException("method: forward (expected: a model with it)");
        }
        List<Object> all = new ArrayList<>();
        all.add(model.module().object());
        arguments.forEach(argument -> all.add(argument instanceof Tensor tensor ? copy(tensor) : argument));
        Object[] fitted = Interpreter.fit(method, all, Map.of());
        Graph graph = Passes.prepare(model.module().object(), "forward");
        Function inlined = new Function(method.qualifiedName(), method.schema(), () -> graph);
        result = model.module().interpreter().run(inlined, fitted, new Hook());
        number();
        return this;
    }

    /** A name says one step: files that were written anew, and NNAPI's operations, have no paths of modules. */
    private void number() {
        Map<String, Integer> all = new HashMap<>();
        steps.forEach(step -> all.merge(step.name(), 1, Integer::sum));
        Map<String, Integer> passed = new HashMap<>();
        for (int i = 0; i < steps.size(); i++) {
            String name = steps.get(i).name();
            if (all.get(name) > 1) {
                steps.set(i, steps.get(i).numbered(passed.merge(name, 1, Integer::sum)));
            }
        }
    }

    private static Tensor copy(Tensor tensor) {
        return tensor.copy(
                tensor.isContiguous(MemoryFormat.CHANNELS_LAST) && !tensor.isContiguous()
                        ? MemoryFormat.CHANNELS_LAST
                        : MemoryFormat.CONTIGUOUS);
    }

    /** Calls operators and notes the tensors that they make. */
    private final class Hook implements OperatorHook {
        @Override
        public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
            Object[] given = arguments.clone();
            Object value = kernel.call(arguments);
            if (value instanceof Tensor tensor && isResult(tensor) && !OperatorKinds.isNeutral(node.kind())) {
                Object first = given.length > 0 ? given[0] : null;
                if (isComputed(tensor, given)) {
                    add(RecordedStep.of(node, tensor, given), first);
                } else if (!steps.isEmpty()
                        && steps.get(steps.size() - 1).value() == first
                        && isReshaped((Tensor) first, tensor)) {
                    reshaped = RecordedStep.of(node, tensor, given);
                }
            }
            return value;
        }
    }

    /** Whether a view of a tensor is the same elements in the same order. */
    private static boolean isReshaped(Tensor tensor, Tensor view) {
        return tensor.numel() == view.numel() && tensor.isContiguous() && view.isContiguous();
    }

    private static boolean isResult(Tensor tensor) {
        return (tensor.dtype().isFloating() || tensor.dtype().isQuantized()) && tensor.rank() > 0 && tensor.numel() > 0;
    }

    /** Whether it is computed from tensors, and is no view of one. */
    private static boolean isComputed(Tensor tensor, Object[] arguments) {
        boolean any = false;
        for (Object argument : arguments) {
            any |= argument instanceof Tensor || argument instanceof ScriptList;
            if (argument instanceof Tensor other && other.storage() == tensor.storage() && other != tensor) {
                return false;
            }
        }
        return any;
    }

    private void add(RecordedStep step, Object first) {
        int last = steps.size() - 1;
        boolean follows = last >= 0
                && OperatorKinds.isActivation(step.operator())
                && !steps.get(last).isNnapi();
        if (follows && steps.get(last).value() == first) {
            steps.set(last, steps.get(last).followedBy(step));
        } else if (follows && reshaped != null && reshaped.value() == first) {
            steps.set(last, steps.get(last).followedBy(reshaped).followedBy(step));
        } else {
            steps.add(step);
        }
        reshaped = null;
    }

    @Override
    public void ran(Model model, List<Tensor> inputs, List<Written> values) {
        Map<Integer, Tensor> known = new HashMap<>();
        for (int i = 0; i < inputs.size(); i++) {
            known.put(model.inputs()[i], inputs.get(i));
        }
        values.forEach(written -> known.put(written.output(), written.value()));
        Map<Integer, Integer> places = new HashMap<>();
        Map<Integer, RecordedStep> shapes = new HashMap<>();
        for (Written written : values) {
            Tensor value = written.value();
            String operator = written.operation().type().name();
            boolean counts = value != null
                    && isResult(value)
                    && !OperatorKinds.isNeutral(operator)
                    && !operator.equals("TRANSPOSE");
            if (!counts) {
                continue;
            }
            RecordedStep step =
                    RecordedStep.of(new RecordedStep.NnapiOperation(model, written.operation(), known), value);
            int given = written.operation().inputCount() == 0
                    ? -1
                    : written.operation().input(0);
            Integer before = places.get(given);
            if (operator.equals("RESHAPE")) {
                if (before != null && !shapes.containsKey(given)) {
                    places.put(written.output(), before);
                    shapes.put(written.output(), step);
                }
                continue;
            }
            if (before != null && before == steps.size() - 1 && OperatorKinds.isActivation(operator)) {
                RecordedStep layer = steps.get(before);
                steps.set(
                        before,
                        (shapes.containsKey(given) ? layer.followedBy(shapes.get(given)) : layer).followedBy(step));
            } else {
                steps.add(step);
            }
            places.put(written.output(), steps.size() - 1);
        }
    }
}
