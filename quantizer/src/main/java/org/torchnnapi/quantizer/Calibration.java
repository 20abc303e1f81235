package org.torchnnapi.quantizer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.support.ModuleRewind;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Runs a float graph on the calibration inputs. Each input is read when its turn comes and checked against the first.
 */
final class Calibration {
    private final ScriptModule module;
    private final String method;
    private final CalibrationInputs inputs;
    private List<Object> first;

    Calibration(ScriptModule module, String method, CalibrationInputs inputs) {
        this.module = module;
        this.method = method;
        this.inputs = inputs;
    }

    int size() {
        return inputs.size();
    }

    Interpreter interpreter() {
        return module.interpreter();
    }

    /**
     * All arguments of a run, the module before them.
     *
     * @throws IllegalArgumentException if the input is not like the first one, does not fit the method or holds no
     *     numbers
     */
    Object[] arguments(int index) throws IOException {
        List<Object> own = inputs.read(index);
        if (first == null) {
            first = own;
        }
        if (own.size() != first.size()) {
            throw bad(index, own.size() + " inputs", first.size() + ", as " + inputs.name(0) + " has");
        }
        for (int i = 0; i < own.size(); i++) {
            if (own.get(i) instanceof Tensor tensor) {
                check(index, tensor, first.get(i));
            }
        }
        List<Object> all = new ArrayList<>();
        all.add(module.object());
        all.addAll(own);
        try {
            return Interpreter.fit(module.method(method), all, Map.of());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("calibration input " + inputs.name(index) + ": " + e.getMessage(), e);
        }
    }

    private void check(int index, Tensor tensor, Object like) {
        boolean fits = like instanceof Tensor other
                && tensor.dtype() == other.dtype()
                && tensor.rank() == other.rank()
                && (tensor.rank() < 2
                        || Arrays.equals(
                                Arrays.copyOfRange(tensor.sizes(), 1, tensor.rank()),
                                Arrays.copyOfRange(other.sizes(), 1, other.rank())));
        if (!fits) {
            throw bad(
                    index,
                    tensor.toString(),
                    "like " + like + " of " + inputs.name(0) + ", but for the first dimension");
        }
        if (tensor.numel() == 0) {
            throw bad(index, tensor.toString(), "at least one element");
        }
        if (tensor.dtype() == DType.FLOAT32) {
            for (float value : tensor.toFloatArray()) {
                if (!Float.isFinite(value)) {
                    throw bad(index, "holds " + value, "finite numbers");
                }
            }
        }
    }

    private IllegalArgumentException bad(int index, String found, String expected) {
        return new IllegalArgumentException(
                "calibration input " + inputs.name(index) + ": " + found + " (expected: " + expected + ")");
    }

    /** Runs a probe on one input, on the module as it was loaded, and leaves that so. A failure names the input. */
    List<Object> run(Probe probe, int index) throws IOException {
        try (ModuleRewind rewind = module.rewind(method)) {
            List<Object> values = next(probe, index);
            // What the module keeps may be among them, and is about to be put back.
            return rewind.isChanged() ? values.stream().map(Structures::copy).collect(Collectors.toList()) : values;
        }
    }

    /** The same on what the runs before left in the module, which keeps what this one does. */
    private List<Object> next(Probe probe, int index) throws IOException {
        Object[] arguments = arguments(index);
        try {
            return probe.run(arguments);
        } catch (IllegalArgumentException | ScriptException e) {
            throw new IllegalArgumentException(
                    "calibration input " + inputs.name(index) + ": the model fails on it: " + e.getMessage(), e);
        }
    }

    /** What the tensors of a graph's own block are on the first input. */
    Map<Value, Tensor> facts(Graph graph) throws IOException {
        List<Value> values = tensors(graph.block());
        List<Object> found = run(new Probe(interpreter(), graph, values), 0);
        Map<Value, Tensor> facts = new HashMap<>();
        for (int i = 0; i < values.size(); i++) {
            if (found.get(i) instanceof Tensor tensor) {
                facts.put(values.get(i), tensor);
            }
        }
        return facts;
    }

    private static List<Value> tensors(Block block) {
        List<Value> values = new ArrayList<>();
        block.parameters().stream()
                .filter(value -> value.type() == Type.Basic.TENSOR)
                .forEach(values::add);
        for (Node node : block.nodes()) {
            node.outputs().stream()
                    .filter(value -> value.type() == Type.Basic.TENSOR)
                    .forEach(values::add);
        }
        return values;
    }

    /**
     * Observes what parts take and give, over all inputs, one call of the module after the other: what it keeps between
     * calls has its range from that.
     */
    Map<Value, Observer> observe(
            Graph graph, List<QuantizedPart> parts, ObserverKind kind, QuantizationProgress progress)
            throws IOException {
        Set<Value> wanted = new LinkedHashSet<>();
        for (QuantizedPart part : parts) {
            wanted.addAll(part.inputs());
            wanted.addAll(part.outputs());
        }
        Map<Value, Observer> observers = new LinkedHashMap<>();
        wanted.forEach(value -> observers.put(value, kind.create()));
        Probe probe = new Probe(interpreter(), graph, List.copyOf(wanted));
        try (ModuleRewind rewind = module.rewind(method)) {
            for (int i = 0; i < size(); i++) {
                progress.update("calibrating", i, size());
                List<Object> values = next(probe, i);
                for (int k = 0; k < values.size(); k++) {
                    Value value = probe.wanted().get(k);
                    if (values.get(k) instanceof Tensor tensor && tensor.dtype() == DType.FLOAT32) {
                        observers.get(value).observe(finite(tensor, value, i));
                    }
                }
            }
        }
        return observers;
    }

    private float[] finite(Tensor tensor, Value value, int index) {
        float[] values = tensor.toFloatArray();
        for (float element : values) {
            if (!Float.isFinite(element)) {
                String place = value.definition() == null
                        ? "an input"
                        : value.definition().kind() + " at "
                                + value.definition().range();
                throw bad(
                        index,
                        place + " gives " + element + " on it",
                        "finite activations; leave this input out, or keep the layer's input in range");
            }
        }
        return values;
    }
}
