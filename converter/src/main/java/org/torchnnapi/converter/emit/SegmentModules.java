package org.torchnnapi.converter.emit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The NNAPI models of a divided module as modules of PyTorch's structure, each with classes of its own name. */
public final class SegmentModules {
    private static final String HOLDER = "__torch__.Segments";
    private static final int FIRST_MANGLE = 10;

    private SegmentModules() {}

    /**
     * One module per model, to be called with a list of its inputs.
     *
     * @param runtime what knows {@code _nnapi.Compilation}
     * @param shared gives the tensor to keep in the place of a weight: one of the same elements. Weights that several
     *     models have are kept once in any case
     * @param first the number of the first one in its file, by which classes are named
     */
    public static List<ScriptObject> of(
            List<LoweredModel> models,
            int preference,
            boolean relaxed,
            ScriptRuntime runtime,
            UnaryOperator<Tensor> shared,
            int first) {
        return of(models, null, preference, relaxed, runtime, shared, first);
    }

    /**
     * The same; {@code open} tells of each model which sizes are computed when it is called, and is null where none
     * are.
     */
    public static List<ScriptObject> of(
            List<LoweredModel> models,
            List<OpenShapes> open,
            int preference,
            boolean relaxed,
            ScriptRuntime runtime,
            UnaryOperator<Tensor> shared,
            int first) {
        StringBuilder source = new StringBuilder(ModuleSources.classHead("Segments", "NoneType"));
        PickledDict state = ModuleTree.module();
        ArchiveWriter writer = new ArchiveWriter("segments", ModuleEmitter.VERSION);
        for (int i = 0; i < models.size(); i++) {
            String module =
                    ModuleSources.PACKAGE + ".___torch_mangle_" + (FIRST_MANGLE + 2 * (first + i)) + ".NnapiModule";
            String shapes = ModuleSources.PACKAGE + ".___torch_mangle_" + (FIRST_MANGLE + 2 * (first + i) + 1)
                    + ".ShapeComputeModule";
            int[] words = SerializedModelEncoder.words(models.get(i));
            if (open == null) {
                ModuleSources.segment(
                                module,
                                shapes,
                                models.get(i).model().templates(),
                                models.get(i).model().needsOwnRuntime())
                        .forEach(writer::source);
                state.put(
                        "s" + i,
                        ModuleTree.nnapiModule(module, shapes, models.get(i), words, List.of(), preference, relaxed));
            } else {
                ModuleSources.openSegment(
                                module,
                                shapes,
                                open.get(i),
                                models.get(i).inputLayouts().size())
                        .forEach(writer::source);
                state.put(
                        "s" + i,
                        ModuleTree.openModule(
                                module,
                                shapes,
                                models.get(i),
                                words,
                                preference,
                                relaxed,
                                open.get(i).most()));
            }
            source.append("  s").append(i).append(" : ").append(module).append('\n');
        }
        source.append("  def forward(self: ").append(HOLDER).append(") -> int:\n    return 0\n");
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            writer.source("code/__torch__.py", source.toString())
                    .data(new PickledObject(HOLDER, state))
                    .write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ScriptObject holder = ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), runtime)
                .object();
        List<ScriptObject> modules = new ArrayList<>();
        UnaryOperator<Tensor> common = models.size() > 1 ? new WeightViews() : UnaryOperator.identity();
        for (int i = 0; i < models.size(); i++) {
            ScriptObject module = (ScriptObject) holder.get("s" + i);
            Map<Tensor, Tensor> known = new IdentityHashMap<>();
            module.set(
                    "weights",
                    new ScriptList(
                            Type.Basic.TENSOR,
                            models.get(i).model().weights().stream()
                                    .map(w -> known.computeIfAbsent(w, weight -> common.apply(shared.apply(weight))))
                                    .collect(Streams.toList())));
            modules.add(module);
        }
        return modules;
    }
}
