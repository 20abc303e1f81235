package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.tensor.Tensor;

/**
 * A model with everything that its operations write as outputs, behind its own.
 *
 * @param model the widened one
 * @param places by operand, the position among the outputs
 */
record ObservedModel(Model model, Map<Integer, Integer> places) {
    static ObservedModel of(Model whole) {
        Model model = whole.withAllOutputs();
        Map<Integer, Integer> places = new HashMap<>();
        int[] outputs = model.outputs();
        for (int i = 0; i < outputs.length; i++) {
            places.put(outputs[i], i);
        }
        return new ObservedModel(model, places);
    }

    void tell(List<Tensor> inputs, List<Compilation.Output> results, NnapiObserver observer) {
        List<NnapiObserver.Written> values = new ArrayList<>();
        for (Operation operation : model.operations()) {
            for (int index : operation.outputs()) {
                Tensor value = NnapiTensors.tensor(model.operand(index), results.get(places.get(index)));
                values.add(new NnapiObserver.Written(operation, index, value));
            }
        }
        observer.ran(model, inputs, values);
    }
}
