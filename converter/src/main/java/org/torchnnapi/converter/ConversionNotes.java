package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.partition.ConvertedMethod;
import org.torchnnapi.converter.partition.LoweredSegment;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.operators.packed.ConvolutionParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** What the user should know of a conversion that is right: what it costs, who can run it, what it leaves out. */
final class ConversionNotes {
    private final List<String> notes;
    private final Target target;

    /** @param notes get what there is to say */
    ConversionNotes(List<String> notes, Target target) {
        this.notes = notes;
        this.target = target;
    }

    /** Of a graph to convert. */
    void channelScales(Graph graph) {
        long layers = graph.block().nodes().stream()
                .filter(node -> !node.kind().endsWith("_dynamic")
                        && node.inputs().stream().anyMatch(ConversionNotes::hasChannelScales))
                .count();
        if (layers > 0 && !target.ownRuntime()) {
            notes.add(Strings.counted(layers, "layer") + " with a scale a channel "
                    + (layers == 1 ? "multiplies" : "multiply")
                    + " real numbers, as PyTorch's loader has no place for such scales: as exact as the "
                    + "model, but as large "
                    + "as float ones (--runtime torch-nnapi keeps them 8-bit, and so does quantizing without "
                    + "--per-channel)");
        }
    }

    private static boolean hasChannelScales(Value packed) {
        Object value = Literals.orNull(packed);
        Object payload = value instanceof CustomObject object ? object.payload() : null;
        Tensor weight = payload instanceof ConvolutionParams convolution
                ? convolution.weight()
                : payload instanceof LinearParams linear ? linear.weight() : null;
        return weight != null && weight.quantization() instanceof Quantization.PerChannel;
    }

    /** @param checked bounds that the file checks of whole numbers, in words */
    void segments(List<LoweredSegment> segments, List<String> checked) {
        byteForms(segments);
        if (!checked.isEmpty()) {
            notes.add("whole numbers of 64 bits enter NNAPI with 32; the file checks their bounds: "
                    + String.join("; ", checked));
        }
        boolean needsOwnRuntime =
                segments.stream().anyMatch(segment -> segment.model().model().needsOwnRuntime());
        if (needsOwnRuntime) {
            notes.add("needs this library's runtime: PyTorch refuses the file when it loads it, naming "
                    + "torch_nnapi.Compilation");
        } else if (target.ownRuntime()) {
            notes.add("nothing in it needs this library's runtime: PyTorch's own loader takes it too, where Android "
                    + "tells ranks");
        }
        if (!needsOwnRuntime && !target.tellsRanks()) {
            notes.add("for this library's runtime: PyTorch's own loader asks for the ranks of results, which Android "
                    + "tells from 10 (API level 29) on");
        }
        List<String> chunks = segments.stream()
                .filter(segment -> segment.rows() > 0)
                .map(segment -> String.valueOf(segment.rows()))
                .collect(Streams.toList());
        if (!chunks.isEmpty()) {
            notes.add("of tensors with as many rows as elements decide, " + Strings.counted(chunks.size(), "segment")
                    + (chunks.size() == 1 ? " takes" : " take") + " rows in chunks of " + String.join(", ", chunks)
                    + ", the last one filled up with zeros");
        }
    }

    /** What stays on bytes, and how near it is. */
    private void byteForms(List<LoweredSegment> segments) {
        Map<String, List<ByteForm>> alike = new TreeMap<>();
        for (LoweredSegment segment : segments) {
            for (ByteForm form : segment.model().model().byteForms()) {
                alike.computeIfAbsent(
                                (form.operator().isEmpty() ? "another scale" : form.operator()) + " by "
                                        + form.operations(),
                                key -> new ArrayList<>())
                        .add(form);
            }
        }
        if (!alike.isEmpty()) {
            notes.add("on bytes, where PyTorch computes real numbers: "
                    + alike.entrySet().stream()
                            .map(entry -> entry.getValue().size() + " x " + entry.getKey() + " ("
                                    + ByteForm.text(entry.getValue()) + ")")
                            .collect(Collectors.joining(", "))
                    + "; option exact has PyTorch's own rounding");
        }
    }

    /** Of a module and what it was converted into. */
    void methods(ScriptObject original, ScriptObject converted, Set<String> methods) {
        List<String> left = original.type().methods().stream()
                .map(Function::name)
                .filter(name -> !name.startsWith("_") && converted.type().method(name) == null)
                .collect(Streams.toList());
        if (!left.isEmpty()) {
            notes.add("methods that " + String.join(" or ", new TreeSet<>(methods))
                    + " calls and that hold weights are not kept beside it: " + String.join(", ", left)
                    + " (option keep keeps them)");
        }
    }

    /** Where some of the model stays TorchScript. */
    void coverage(ConvertedMethod made) {
        Coverage coverage = made.coverage();
        if (!made.refusals().isEmpty()) {
            notes.add("NNAPI computes " + coverage.text() + ", in " + Strings.counted(coverage.segments(), "segment")
                    + "; the rest stays TorchScript");
        }
    }
}
