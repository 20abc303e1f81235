package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.emit.ConvertedInputs;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.WeightViews;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partition.ConvertedMethod;
import org.torchnnapi.converter.partition.LoweredSegment;
import org.torchnnapi.converter.partition.RetainedMembers;
import org.torchnnapi.converter.partition.ShapeDispatch;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts several methods of a module, or one for several shapes: one after the other, each in what came of the one
 * before, in which the others stay as they are. What a method calls becomes part of it, so that callers go first.
 */
final class MethodConversions {
    private static final String SHAPES = "_shapes_";

    private final ScriptModule module;
    private final List<Converter> steps = new ArrayList<>();
    private final Converter first;
    private final Set<String> methods = new LinkedHashSet<>();
    private final Set<String> kept;
    private final UnaryOperator<Tensor> weights;
    private final Map<Converter, Converter.Divided> made = new LinkedHashMap<>();
    private final Map<Converter, String> names = new LinkedHashMap<>();
    private final List<Refusal> refusals = new ArrayList<>();

    MethodConversions(ScriptModule module, List<ConversionOptions> wanted, ScriptRuntime runtime) {
        this.module = module;
        for (ConversionOptions options : wanted) {
            Converter step = new Converter(
                    module,
                    wanted.get(0)
                            .withMethod(options.method())
                            .withInputs(options.inputs())
                            .withExample(options.example()),
                    runtime);
            if (step.source().specs() == null) {
                throw new IllegalArgumentException("inputs of " + step.method()
                        + ": not described (expected: types and sizes, such as float32[1,3,224,224], an "
                        + "example, or a model with bundled inputs)");
            }
            steps.add(step);
            methods.add(step.method());
        }
        first = steps.get(0);
        requireOtherShapes();
        steps.sort((a, b) -> Boolean.compare(calls(b.method(), a.method()), calls(a.method(), b.method())));
        kept = RetainedMembers.byDefault(module.object(), methods);
        kept.addAll(wanted.get(0).keptMethods());
        weights = new WeightViews(module.object());
    }

    private boolean calls(String caller, String called) {
        return RetainedMembers.called(module.object(), Set.of(caller)).contains(called);
    }

    private void requireOtherShapes() {
        Set<String> seen = new LinkedHashSet<>();
        for (Converter step : steps) {
            String sizes = step.method()
                    + step.source().specs().stream()
                            .map(spec -> Arrays.toString(spec.shape()))
                            .collect(Streams.toList());
            if (!seen.add(sizes)) {
                throw new IllegalArgumentException("inputs: the same shapes twice for " + step.method()
                        + " (expected: others each time, as the shapes choose what computes)");
            }
        }
    }

    Conversion run() {
        if (ModuleEmitter.isConverted(module.source())) {
            return first.refused(List.of(Converter.CONVERTED));
        }
        if (steps.stream().anyMatch(step -> step.source().hasOpenSizes())) {
            return first.refused(List.of(Converter.OPEN_SHAPES));
        }
        ScriptObject converted = module.object();
        for (Converter step : steps) {
            converted = convert(step, converted);
        }
        if (made.isEmpty()) {
            return first.refused(refusals.isEmpty() ? List.of(Converter.NOTHING_PAYS) : refusals);
        }
        for (String method : methods) {
            Map<String, List<?>> samples = new LinkedHashMap<>();
            made.forEach((step, divided) -> {
                if (step.method().equals(method)) {
                    samples.put(names.get(step), divided.samples());
                }
            });
            if (steps.stream().filter(step -> step.method().equals(method)).count() > 1 && !samples.isEmpty()) {
                converted = ShapeDispatch.of(converted, method, samples, present());
            }
        }
        return checked(converted);
    }

    /** All names that stay: the ones that are converted, and those beside. */
    private Set<String> present() {
        Set<String> present = new LinkedHashSet<>(kept);
        present.addAll(methods);
        present.addAll(names.values());
        methods.forEach(method -> present.add(LoadedModel.fallbackOf(method)));
        return present;
    }

    private ScriptObject convert(Converter step, ScriptObject object) {
        String method = step.method();
        boolean single =
                steps.stream().filter(other -> other.method().equals(method)).count() == 1;
        String name = single ? method : freeName(object, method);
        Set<String> others = present();
        others.removeIf(other -> object.type().method(other) == null || single && other.equals(method));
        Converter.Divided divided;
        try {
            divided = step.divided(object, step.freeOptions(others, name, single, weights));
        } catch (Converter.Unfit e) {
            refusals.add(Refusal.ofModel(
                    "a method must fit into one graph", e.getMessage(), "methods without recursion", ""));
            return object;
        }
        ConvertedMethod part = divided.made();
        refusals.addAll(part.refusals());
        if (part.module() == null) {
            step.notes()
                    .add("stays TorchScript: "
                            + (part.refusals().isEmpty()
                                    ? "no part of it pays"
                                    : part.refusals().get(0).text()));
            return object;
        }
        made.put(step, divided);
        names.put(step, name);
        step.said().coverage(part);
        return part.module();
    }

    private static String freeName(ScriptObject object, String method) {
        int number = 0;
        while (object.type().method(method + SHAPES + number) != null) {
            number++;
        }
        return method + SHAPES + number;
    }

    private Conversion checked(ScriptObject converted) {
        List<LoweredModel> models = new ArrayList<>();
        List<LoweredSegment> segments = new ArrayList<>();
        Set<String> ranges = new LinkedHashSet<>();
        made.values().forEach(divided -> {
            models.addAll(Converter.models(divided.made()));
            segments.addAll(divided.made().segments());
            ranges.addAll(divided.made().checked());
        });
        ConvertedInputs inputsOfMethods = new ConvertedInputs();
        made.forEach((step, divided) -> inputsOfMethods.add(step.method(), divided.samples()));
        Function<String, ArchiveWriter> archive = first.archive(converted, models, inputsOfMethods);
        first.said().segments(segments, List.copyOf(ranges));
        first.said().methods(module.object(), converted, methods);
        if (first.checks()) {
            for (Map.Entry<Converter, Converter.Divided> step : made.entrySet()) {
                Refusal wrong = step.getKey().checked(models, archive, step.getValue(), kept);
                if (wrong != null) {
                    return first.refused(List.of(wrong));
                }
            }
        }
        Coverage coverage = Coverage.NONE;
        List<String> inputs = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Converter step : steps) {
            Converter.Divided divided = made.get(step);
            String shapes = String.join(
                    ", ",
                    step.source().specs().stream().map(InputSpec::toString).collect(Streams.toList()));
            step.notes().forEach(note -> notes.add(step.method() + "(" + shapes + "): " + note));
            inputs.add(step.method() + "(" + shapes + ")");
            coverage = divided == null ? coverage : coverage.and(divided.made().coverage());
        }
        return new Conversion(
                models,
                archive,
                LoweredModelReport.of(models, inputs, List.of(), coverage, List.of(), notes, refusals));
    }
}
