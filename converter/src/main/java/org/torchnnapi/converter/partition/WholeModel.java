package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.lower.NnapiBuilder;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * A model of which NNAPI computes all, for other formats than PyTorch's: what the file's inputs and results are to be
 * called.
 *
 * @param inputs in the order of the method's arguments; those that nothing reads are not there
 * @param outputs in the order of the method's results
 */
public record WholeModel(LoweredModel lowered, List<Named> inputs, List<Named> outputs) {
    private static final String DICT = Prim.DICT_CONSTRUCT;

    /**
     * An input or output.
     *
     * @param index its number in the model
     * @param name that of the method's argument, the dictionary's key, or {@code output_0} and so on
     * @param shape what callers see, of as many elements as the model's tensor has; null where it is that tensor's own.
     *     Images are N, H, W, C
     */
    public record Named(int index, String name, int[] shape) {}

    public WholeModel {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
    }

    /**
     * The only segment of a graph.
     *
     * @return null if the graph returns something else than the segment's outputs
     */
    static WholeModel of(Graph graph, LoweredSegment segment, FunctionSchema forward) {
        Set<String> taken = new HashSet<>();
        List<Named> inputs = new ArrayList<>();
        Map<Value, Integer> numbers = new IdentityHashMap<>();
        for (int i = 0; i < segment.inputs().size(); i++) {
            numbers.put(segment.inputs().get(i).value(), i);
        }
        for (int i = 0; i < graph.inputs().size(); i++) {
            Integer index = numbers.remove(graph.inputs().get(i));
            if (index != null) {
                inputs.add(named(
                        index,
                        forward.arguments().get(i).name(),
                        segment.inputs().get(index),
                        taken));
            }
        }
        // What is left are parts of tuples and lists.
        for (int i = 0; i < segment.inputs().size(); i++) {
            if (numbers.containsKey(segment.inputs().get(i).value())) {
                inputs.add(named(i, "input_" + i, segment.inputs().get(i), taken));
            }
        }
        List<Named> outputs = new ArrayList<>();
        Map<Value, Integer> made = new IdentityHashMap<>();
        for (int i = 0; i < segment.outputs().size(); i++) {
            made.put(segment.outputs().get(i).value(), i);
        }
        boolean known = true;
        for (Value value : graph.block().returns().inputs()) {
            known &= collect(value, null, segment, made, outputs, taken);
        }
        return known ? new WholeModel(segment.model(), inputs, outputs) : null;
    }

    /** The model as NNAPI has it, its weights in memory; made each time. */
    public Model model() {
        int[] words = SerializedModelEncoder.words(lowered);
        return NnapiPart.decoded(Tensor.of(words, words.length), lowered.model().weights());
    }

    private static boolean collect(
            Value value,
            String name,
            LoweredSegment segment,
            Map<Value, Integer> made,
            List<Named> outputs,
            Set<String> taken) {
        Integer index = made.get(value);
        if (index != null) {
            outputs.add(named(
                    index,
                    name == null ? "output_" + outputs.size() : name,
                    segment.outputs().get(index),
                    taken));
            return true;
        }
        Node from = value.definition();
        boolean known =
                from != null && (from.is(Prim.TUPLE_CONSTRUCT) || from.is(Prim.LIST_CONSTRUCT) || from.is(DICT));
        if (!known) {
            return false;
        }
        int step = from.is(DICT) ? 2 : 1;
        for (int i = step - 1; i < from.inputs().size(); i += step) {
            String key = step == 2
                    ? Literals.of(from.input(i - 1))
                            .map(literal -> String.valueOf(literal.value()))
                            .orElse(null)
                    : null;
            known &= collect(from.input(i), key, segment, made, outputs, taken);
        }
        return known;
    }

    private static Named named(int index, String name, LoweredSegment.Boundary boundary, Set<String> taken) {
        String own = name;
        for (int i = 1; !taken.add(own); i++) {
            own = name + "_" + i;
        }
        return new Named(
                index,
                own,
                boundary.facts().rank() > NnapiBuilder.MAX_RANK
                        ? boundary.facts().shape()
                        : null);
    }
}
