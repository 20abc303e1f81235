package org.torchnnapi.cli.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.torchnnapi.converter.emit.ConvertedInputs;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.ModelException;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Inputs of the shapes that stand in converted files, for where nothing else says what a model is to be run on. */
public final class StoredShapes {
    /** What a converted module calls that order of memory. */
    private static final int CHANNELS_LAST = 1;

    private StoredShapes() {}

    /** Inputs, and what they are, in words for the user. */
    public record Taken(List<Object> inputs, String text) {}

    /**
     * Inputs that all of some models take, which are run to see that, of the shapes that stand in one of them: random
     * numbers, or zeros where those are no answer to what the model asks.
     *
     * @param models of which at least one is converted, if there is to be an answer
     * @return null if there are none: no file tells what the method was converted for, or has one NNAPI model alone,
     *     its sizes fixed, with as many inputs as the method has arguments
     */
    public static Taken inputs(List<LoadedModel> models, String method, Random random) throws IOException {
        for (LoadedModel model : models) {
            for (List<String> words : candidates(model, method)) {
                for (boolean numbers : new boolean[] {true, false}) {
                    List<Object> inputs = values(
                            words, spec -> numbers ? RandomTensors.like(spec, random) : RandomTensors.zeros(spec));
                    if (inputs != null && models.stream().allMatch(other -> takes(other, method, inputs))) {
                        return new Taken(
                                inputs,
                                (numbers ? "random numbers" : "zeros") + " of the shapes in the file, "
                                        + String.join("; ", words));
                    }
                }
            }
        }
        return null;
    }

    /** Null where a file's words are of another form. */
    private static List<Object> values(List<String> words, Function<InputSpec, Tensor> made) throws IOException {
        List<Object> values = new ArrayList<>();
        try {
            for (String word : words) {
                values.add(InputValues.parse(word, tensor -> made.apply(InputText.parse(tensor))));
            }
        } catch (CommandFailure | IllegalArgumentException e) {
            return null;
        }
        return values;
    }

    private static boolean takes(LoadedModel model, String method, List<Object> inputs) {
        try {
            model.call(method, inputs.toArray());
            return true;
        } catch (ModelException | IllegalArgumentException e) {
            return false;
        }
    }

    /**
     * What a model may take, in words, most likely ones first: what it was converted for, the types of its NNAPI model,
     * and floats, which a model takes that quantizes them itself.
     */
    private static List<List<String>> candidates(LoadedModel model, String method) {
        List<List<String>> told = ConvertedInputs.read(model.module().source().extraFiles(), method);
        List<ScriptObject> converted = new ArrayList<>();
        collect(model.module().object(), converted, Collections.newSetFromMap(new IdentityHashMap<>()));
        DeclaredInputs declared = model.module().declaredInputs(method);
        if (declared != null
                && declared.tensorsAlone()
                && declared.tensors().stream().allMatch(DeclaredInputs.Input::isSized)) {
            return List.of(declared.tensors().stream()
                    .map(input -> InputSpec.of(input.dtype(), input.sizes()).text())
                    .collect(Streams.toList()));
        }
        org.torchnnapi.torchscript.ir.Function called = model.module().method(method);
        Model nnapi = converted.size() == 1 ? decode(converted.get(0)) : null;
        if (!told.isEmpty()
                || nnapi == null
                || called == null
                || called.schema().arguments().size() != nnapi.inputCount() + 1) {
            return told;
        }
        List<String> stored = new ArrayList<>();
        List<String> floats = new ArrayList<>();
        for (int i = 0; i < nnapi.inputCount(); i++) {
            OperandDescriptor input = nnapi.input(i).descriptor();
            if (!input.isFullySpecified()) {
                return List.of();
            }
            boolean channelsLast = isChannelsLast(converted.get(0), i);
            int[] sizes = input.dimensions();
            int[] seen = channelsLast ? new int[] {sizes[0], sizes[3], sizes[1], sizes[2]} : sizes;
            InputSpec real = new InputSpec(DType.FLOAT32, seen, channelsLast, 0, 0);
            stored.add((switch (input.type().element()) {
                        case INT32 -> new InputSpec(DType.INT32, seen, channelsLast, 0, 0);
                        case UINT8 -> new InputSpec(DType.QUINT8, seen, channelsLast, input.scale(), input.zeroPoint());
                        default -> real;
                    })
                    .text());
            floats.add(real.text());
        }
        return List.of(stored, floats);
    }

    /** Whether a converted module is given an image whose channels lie last in memory, but not in its sizes. */
    private static boolean isChannelsLast(ScriptObject module, int input) {
        return module.get("inp_mem_fmts") instanceof ScriptList formats
                && input < formats.size()
                && formats.get(input) instanceof Number format
                && format.intValue() == CHANNELS_LAST;
    }

    private static void collect(ScriptObject module, List<ScriptObject> found, Set<Object> seen) {
        if (!seen.add(module)) {
            return;
        }
        for (int slot = 0; slot < module.type().attributes().size(); slot++) {
            String name = module.type().attributes().get(slot).name();
            if (name.equals("ser_model")) {
                found.add(module);
            } else if (module.slot(slot) instanceof ScriptObject child) {
                collect(child, found, seen);
            }
        }
    }

    private static Model decode(ScriptObject module) {
        if (!(module.get("ser_model") instanceof Tensor words && module.get("weights") instanceof ScriptList weights)) {
            return null;
        }
        List<ByteBuffer> buffers = weights.items().stream()
                .map(weight -> ((Tensor) weight).contiguous().storage().toBytes())
                .collect(Streams.toList());
        Tensor dense = words.contiguous();
        try {
            int[] all = Arrays.copyOfRange(
                    dense.storage().intArray(), dense.offset(), dense.offset() + (int) dense.numel());
            return new SerializedModel(all, buffers).decode(false);
        } catch (NnapiException e) {
            // A model with sizes that are set at load is not legal before.
            return null;
        }
    }
}
