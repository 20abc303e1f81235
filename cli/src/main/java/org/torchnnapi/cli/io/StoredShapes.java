package org.torchnnapi.cli.io;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Inputs of the shapes that stand in a converted file, for what depends on shapes alone. */
public final class StoredShapes {
    private StoredShapes() {
    }

    /**
     * Tensors of zeros that the model may take, most likely ones first: of the types of its NNAPI model, and as floats, which a model takes that
     * quantizes them itself. None if the file has not one NNAPI model of fixed sizes with as many inputs as the method has arguments.
     */
    public static List<List<Object>> candidates(LoadedModel model, String method) {
        List<ScriptObject> converted = new ArrayList<>();
        collect(model.module().object(), converted, Collections.newSetFromMap(new IdentityHashMap<>()));
        Function called = model.module().method(method);
        Model nnapi = converted.size() == 1 ? decode(converted.get(0)) : null;
        if (nnapi == null || called == null || called.schema().arguments().size() != nnapi.inputCount() + 1) {
            return List.of();
        }
        List<Object> stored = new ArrayList<>();
        List<Object> floats = new ArrayList<>();
        for (int i = 0; i < nnapi.inputCount(); i++) {
            OperandDescriptor input = nnapi.input(i).descriptor();
            int[] sizes = input.dimensions();
            if (!input.isFullySpecified()) {
                return List.of();
            }
            stored.add(zeros(input, sizes));
            floats.add(Tensor.zeros(DType.FLOAT32, sizes));
        }
        return List.of(stored, floats);
    }

    private static Tensor zeros(OperandDescriptor input, int[] sizes) {
        return switch (input.type().element()) {
            case INT32 -> Tensor.zeros(DType.INT32, sizes);
            case UINT8 -> Tensor.zeros(DType.QUINT8, sizes).withQuantization(new Quantization.PerTensor(input.scale(), input.zeroPoint()));
            default -> Tensor.zeros(DType.FLOAT32, sizes);
        };
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
        List<ByteBuffer> buffers = weights.items().stream().map(weight -> ((Tensor) weight).contiguous().storage().toBytes()).collect(Streams.toList());
        Tensor dense = words.contiguous();
        try {
            int[] all = Arrays.copyOfRange(dense.storage().intArray(), dense.offset(), dense.offset() + (int) dense.numel());
            return new SerializedModel(all, buffers).decode(false);
        } catch (NnapiException e) {
            // A model with sizes that are set at load is not legal before.
            return null;
        }
    }
}
