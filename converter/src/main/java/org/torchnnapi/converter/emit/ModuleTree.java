package org.torchnnapi.converter.emit;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Attributes of a converted module, in PyTorch's order. */
final class ModuleTree {
    private ModuleTree() {}

    /**
     * @param words the serialized model
     * @param preference compilation preference, NNAPI's number
     */
    static PickledObject interfaceWrapper(LoweredModel model, int[] words, int preference, boolean relaxed) {
        return new PickledObject(
                ModuleSources.INTERFACE,
                module().put(
                                "mod",
                                nnapiModule(
                                        ModuleSources.MODULE,
                                        ModuleSources.SHAPES,
                                        model,
                                        words,
                                        frozen(model.model().weights()),
                                        preference,
                                        relaxed)));
    }

    /** The same of a model whose sizes are open, which holds what it compiled for several. */
    static PickledObject openModule(
            String className,
            String shapes,
            LoweredModel model,
            int[] words,
            int preference,
            boolean relaxed,
            int most) {
        PickledDict state = state(model, words, List.of(), preference, relaxed)
                .put("most_shapes", (long) most)
                .put("shapes", new PickledList("List[List[int]]"))
                .put("templates", new PickledList("List[List[Tensor]]"))
                .put("comps", new PickledList("List[" + ModuleSources.COMPILATIONS + ".Compilation]"));
        return new PickledObject(className, state.put("shape_compute_module", new PickledObject(shapes, module())));
    }

    /** The module that runs a model, by its class and that of its shape code. */
    static PickledObject nnapiModule(
            String className,
            String shapes,
            LoweredModel model,
            int[] words,
            List<Tensor> weights,
            int preference,
            boolean relaxed) {
        PickledDict state = state(model, words, weights, preference, relaxed);
        if (model.model().needsOwnRuntime()) {
            state.put(ModuleSources.RUNTIME, ModuleSources.OWN_RUNTIME);
        }
        state.put("shape_compute_module", new PickledObject(shapes, module()));
        return new PickledObject(className, state);
    }

    private static PickledDict state(
            LoweredModel model, int[] words, List<Tensor> weights, int preference, boolean relaxed) {
        return module().put("ser_model", Tensor.of(words, words.length))
                .put("weights", new PickledList("List[Tensor]", weights))
                .put("inp_mem_fmts", formats(model.inputLayouts()))
                .put("out_mem_fmts", formats(model.outputLayouts()))
                .put("out_templates", new PickledList("List[Tensor]"))
                .put("comp", null)
                .put("compilation_preference", (long) preference)
                .put("relax_f32_to_f16", relaxed);
    }

    /** The attributes that every module begins with. */
    static PickledDict module() {
        return new PickledDict(null).put("training", true).put("_is_full_backward_hook", null);
    }

    /** Weights that ask for no gradient, as PyTorch's freezing leaves them; a tensor listed twice stays one. */
    private static List<Tensor> frozen(List<Tensor> weights) {
        Map<Tensor, Tensor> copies = new IdentityHashMap<>();
        return weights.stream()
                .map(weight -> copies.computeIfAbsent(weight, w -> w.asStrided(w.sizes(), w.strides(), w.offset())))
                .collect(Streams.toList());
    }

    private static PickledList formats(List<OperandLayout> layouts) {
        List<Object> codes = new ArrayList<>();
        layouts.forEach(layout -> codes.add((long) layout.code()));
        return new PickledList("List[int]", codes);
    }
}
