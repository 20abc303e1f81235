package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.source.SourceException;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Where the descriptions of a model's inputs come from: the options, an example, or the inputs bundled with the model.
 *
 * @param specs one per tensor among the arguments, or null if nothing describes them
 * @param example arguments to try the model on, or null
 * @param isPlain whether all arguments are tensors
 * @param leavesOpen whether sizes are open because the model's file says so, and nobody else
 * @param bundled arguments that come with the model, of each call
 * @param notes what the user should know
 */
record InputSource(
        List<InputSpec> specs,
        List<Object> example,
        boolean isPlain,
        boolean leavesOpen,
        List<List<Object>> bundled,
        List<String> notes) {
    private static final String BUNDLED = "get_all_bundled_inputs";

    /** @param method the one whose inputs they are */
    static InputSource of(ScriptModule module, String method, ConversionOptions options) {
        List<String> notes = new ArrayList<>();
        List<List<Object>> bundled = bundled(module, method, notes);
        List<Object> example =
                options.example() != null ? options.example() : bundled.isEmpty() ? null : bundled.get(0);
        List<InputSpec> specs = options.inputs();
        boolean plain = specs != null;
        boolean asDeclared = false;
        DeclaredInputs declared = module.declaredInputs(method);
        if (specs == null && example == null && declared != null) {
            example = declared.example();
            plain = declared.tensorsAlone();
            asDeclared = plain && declared.hasOpenSizes();
            specs = plain ? declared(declared, example) : null;
            if (!plain && declared.hasOpenSizes()) {
                notes.add("sizes are those of the file's example: sizes can be left open where all arguments are "
                        + "tensors");
            }
        }
        if (specs == null && example != null) {
            specs = Structures.tensors(example).stream().map(InputSpec::like).collect(Streams.toList());
        }
        if (specs != null && options.channelsLast() != null) {
            boolean nhwc = options.channelsLast();
            specs = specs.stream()
                    .map(spec -> spec.shape().length != 4
                            ? spec
                            : new InputSpec(spec.dtype(), spec.shape(), nhwc, spec.scale(), spec.zeroPoint()))
                    .collect(Streams.toList());
        }
        plain |= example != null && example.stream().allMatch(Tensor.class::isInstance);
        return new InputSource(specs, example, plain, asDeclared, bundled, notes);
    }

    /** Open where the file says that sizes are, and otherwise as in its example. */
    private static List<InputSpec> declared(DeclaredInputs declared, List<Object> example) {
        List<InputSpec> specs = new ArrayList<>();
        for (int i = 0; i < declared.tensors().size(); i++) {
            DeclaredInputs.Input input = declared.tensors().get(i);
            InputSpec spec = InputSpec.of(input.dtype(), input.shape());
            boolean nhwc =
                    example != null && InputSpec.like((Tensor) example.get(i)).channelsLast();
            specs.add(nhwc ? spec.asChannelsLast() : spec);
        }
        return specs;
    }

    /** Whether sizes are left open: they are -1, or 0 where no example has a tensor without elements there. */
    boolean hasOpenSizes() {
        List<Tensor> tensors = example == null ? List.of() : Structures.tensors(example);
        for (int i = 0; i < specs.size(); i++) {
            int[] shape = specs.get(i).shape();
            for (int d = 0; d < shape.length; d++) {
                boolean empty = tensors.size() == specs.size()
                        && tensors.get(i).rank() == shape.length
                        && tensors.get(i).size(d) == 0;
                if (shape[d] < 0 || shape[d] == 0 && !empty) {
                    return true;
                }
            }
        }
        return false;
    }

    private static List<List<Object>> bundled(ScriptModule module, String method, List<String> notes) {
        String name = module.method(BUNDLED + "_for_" + method) != null ? BUNDLED + "_for_" + method : BUNDLED;
        if (module.method(name) == null || name.equals(BUNDLED) && !method.equals("forward")) {
            return List.of();
        }
        List<List<Object>> all = new ArrayList<>();
        Object made;
        try {
            made = module.call(name);
        } catch (ScriptException | SourceException e) {
            notes.add("the bundled inputs could not be made and were left out: " + e.getMessage());
            return List.of();
        }
        if (made instanceof ScriptList list) {
            for (Object item : list.items()) {
                if (!(item instanceof ScriptTuple arguments)
                        || arguments.items().isEmpty()) {
                    notes.add("the bundled inputs are no lists of arguments and were left out");
                    return List.of();
                }
                all.add(arguments.items());
            }
        }
        return all;
    }
}
