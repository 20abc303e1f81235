package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where the descriptions of a model's inputs come from: the options, an example, or the inputs bundled with the model.
 *
 * @param specs   one per input, or null if nothing describes them
 * @param example arguments to try the model on, or null
 * @param bundled the model's bundled inputs; empty if it has none, or some that are not tensors
 * @param notes   what the user should know
 */
record InputSource(List<InputSpec> specs, List<Tensor> example, List<List<Tensor>> bundled, List<String> notes) {
    private static final String BUNDLED = "get_all_bundled_inputs";

    static InputSource of(ScriptModule module, ConversionOptions options) {
        List<String> notes = new ArrayList<>();
        List<List<Tensor>> bundled = bundled(module, notes);
        List<Tensor> example = options.example() != null ? options.example() : bundled.isEmpty() ? null : bundled.get(0);
        List<InputSpec> specs = options.inputs();
        if (specs == null && example != null) {
            specs = example.stream().map(InputSpec::like).collect(Streams.toList());
        }
        if (specs != null && options.channelsLast() != null) {
            boolean nhwc = options.channelsLast();
            specs = specs.stream().map(spec -> spec.shape().length != 4 ? spec
                : new InputSpec(spec.dtype(), spec.shape(), nhwc, spec.scale(), spec.zeroPoint(), spec.int16Type())).collect(Streams.toList());
        }
        return new InputSource(specs, example, bundled, notes);
    }

    private static List<List<Tensor>> bundled(ScriptModule module, List<String> notes) {
        if (module.method(BUNDLED) == null) {
            return List.of();
        }
        List<List<Tensor>> all = new ArrayList<>();
        Object made;
        try {
            made = module.call(BUNDLED);
        } catch (ScriptException | SourceException e) {
            notes.add("the bundled inputs could not be made and were left out: " + e.getMessage());
            return List.of();
        }
        if (made instanceof ScriptList list) {
            for (Object item : list.items()) {
                List<Tensor> arguments = tensors(item);
                if (arguments == null || !all.isEmpty() && all.get(0).size() != arguments.size()) {
                    notes.add("the bundled inputs are not only tensors and were left out");
                    return List.of();
                }
                all.add(arguments);
            }
        }
        return all;
    }

    private static List<Tensor> tensors(Object item) {
        if (!(item instanceof ScriptTuple tuple)) {
            return null;
        }
        List<Tensor> out = new ArrayList<>();
        for (Object value : tuple.items()) {
            if (!(value instanceof Tensor tensor)) {
                return null;
            }
            out.add(tensor);
        }
        return out.isEmpty() ? null : out;
    }

    /** The descriptions with NHWC where a step of the graph quantizes the input, as NNAPI's QUANTIZE wants it. */
    static List<InputSpec> channelsLastWhereQuantized(Graph graph, List<InputSpec> specs) {
        List<Boolean> quantized = org.torchnnapi.converter.split.QuantizedCore.quantizedInputs(graph);
        List<InputSpec> out = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            InputSpec spec = specs.get(i);
            out.add(i < quantized.size() && quantized.get(i) && spec.shape().length == 4 ? spec.asChannelsLast() : spec);
        }
        return out;
    }
}
