package org.torchnnapi.converter;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.torchnnapi.converter.free.SegmentCost;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.tensor.platform.Streams;

/** How to convert; immutable, made by {@link #defaults()} and the {@code with} methods. */
public final class ConversionOptions {
    private static final ConversionOptions DEFAULTS = new ConversionOptions();

    private List<InputSpec> inputs;
    private List<Object> example;
    private Boolean channelsLast;
    private boolean int16;
    private CompilationPreference preference = CompilationPreference.SUSTAINED_SPEED;
    private boolean relaxed;
    private ConversionMode mode = ConversionMode.NONE;
    private List<int[]> returnShapes;
    private boolean selfCheck = true;
    private SegmentCost segmentCost = SegmentCost.DEFAULT;
    private Target target;
    private Set<String> keptMethods = Set.of();
    private boolean cpuFallback;
    private boolean lines;

    private ConversionOptions() {
    }

    /** Inputs from the model's bundled inputs, PyTorch's defaults otherwise. */
    public static ConversionOptions defaults() {
        return DEFAULTS;
    }

    /** Describes the inputs; without this they come from the example, or else from bundled inputs. */
    public ConversionOptions withInputs(List<InputSpec> specs) {
        ConversionOptions copy = copy();
        copy.inputs = List.copyOf(specs);
        return copy;
    }

    /**
     * An example of the arguments: tensors, whose dtypes, shapes and memory formats are taken over, lists, tuples and dicts of them, numbers,
     * truth values, texts and null. The self-check runs on it.
     */
    public ConversionOptions withExample(List<?> arguments) {
        ConversionOptions copy = copy();
        copy.example = Collections.unmodifiableList(new ArrayList<>(arguments));
        return copy;
    }

    /** Makes every four-dimensional input NHWC, or none, whatever its description says. */
    public ConversionOptions withChannelsLast(boolean nhwc) {
        ConversionOptions copy = copy();
        copy.channelsLast = nhwc;
        return copy;
    }

    /** Lets int16 tensors stand for NNAPI's 16-bit quantized ones. */
    public ConversionOptions withInt16(boolean allowed) {
        ConversionOptions copy = copy();
        copy.int16 = allowed;
        return copy;
    }

    /** What NNAPI shall optimise the model for; SUSTAINED_SPEED, as PyTorch has it, unless said. */
    public ConversionOptions withPreference(CompilationPreference newPreference) {
        ConversionOptions copy = copy();
        copy.preference = newPreference;
        return copy;
    }

    /** Allows NNAPI to compute float32 operations in float16. */
    public ConversionOptions withRelaxed(boolean allowed) {
        ConversionOptions copy = copy();
        copy.relaxed = allowed;
        return copy;
    }

    /** What happens to the quantize and dequantize steps at the ends; NONE unless said. */
    public ConversionOptions withMode(ConversionMode newMode) {
        ConversionOptions copy = copy();
        copy.mode = newMode;
        return copy;
    }

    /** Sizes of the output templates, one list per output; -1 is left to the run. For models whose sizes vary at run. */
    public ConversionOptions withReturnShapes(List<int[]> shapes) {
        ConversionOptions copy = copy();
        copy.returnShapes = shapes.stream().map(int[]::clone).collect(Streams.toList());
        return copy;
    }

    /**
     * Whether to load what was made and compare its results with the original's, as happens unless said here. Conversions
     * that fail the check are refused.
     */
    public ConversionOptions withSelfCheck(boolean check) {
        ConversionOptions copy = copy();
        copy.selfCheck = check;
        return copy;
    }

    /** Which parts of a model are worth a start of NNAPI, where it cannot compute all of it. */
    public ConversionOptions withSegmentCost(SegmentCost cost) {
        ConversionOptions copy = copy();
        copy.segmentCost = cost;
        return copy;
    }

    /** What the conversion is for; unless said, PyTorch's loader on any phone whose NNAPI knows all operations. */
    public ConversionOptions withTarget(Target newTarget) {
        ConversionOptions copy = copy();
        copy.target = newTarget;
        return copy;
    }

    /**
     * Methods to keep beside the converted one, as TorchScript. Without this those stay that it does not call, or that hold no weights; names
     * with an underscore at their beginning stay where others call them.
     */
    public ConversionOptions withKeptMethods(Set<String> names) {
        ConversionOptions copy = copy();
        copy.keptMethods = Set.copyOf(names);
        return copy;
    }

    /**
     * Keeps the original of the converted method beside it as {@code forward_cpu}, with weights that both use stored once. This library's
     * runtime calls it by itself where NNAPI fails; in PyTorch it is a method to call.
     */
    public ConversionOptions withCpuFallback(boolean wanted) {
        ConversionOptions copy = copy();
        copy.cpuFallback = wanted;
        return copy;
    }

    /**
     * Whether the file tells, in an extra file, which module and line of Python each NNAPI operation comes from. Not unless said here: an application
     * has no use for it, and it shows paths of whoever trained the model.
     */
    public ConversionOptions withLines(boolean wanted) {
        ConversionOptions copy = copy();
        copy.lines = wanted;
        return copy;
    }

    /** Null unless given. */
    public List<InputSpec> inputs() {
        return inputs;
    }

    /** Null unless given. */
    public List<Object> example() {
        return example;
    }

    /** Null unless given. */
    public Boolean channelsLast() {
        return channelsLast;
    }

    public boolean int16() {
        return int16;
    }

    public CompilationPreference preference() {
        return preference;
    }

    public boolean relaxed() {
        return relaxed;
    }

    public ConversionMode mode() {
        return mode;
    }

    /** Null unless given. */
    public List<int[]> returnShapes() {
        return returnShapes == null ? null : new ArrayList<>(returnShapes);
    }

    public boolean selfCheck() {
        return selfCheck;
    }

    public SegmentCost segmentCost() {
        return segmentCost;
    }

    /** Null unless given. */
    public Target target() {
        return target;
    }

    public Set<String> keptMethods() {
        return keptMethods;
    }

    public boolean cpuFallback() {
        return cpuFallback;
    }

    public boolean lines() {
        return lines;
    }

    private ConversionOptions copy() {
        ConversionOptions copy = new ConversionOptions();
        copy.inputs = inputs;
        copy.example = example;
        copy.channelsLast = channelsLast;
        copy.int16 = int16;
        copy.preference = preference;
        copy.relaxed = relaxed;
        copy.mode = mode;
        copy.returnShapes = returnShapes;
        copy.selfCheck = selfCheck;
        copy.segmentCost = segmentCost;
        copy.target = target;
        copy.keptMethods = keptMethods;
        copy.cpuFallback = cpuFallback;
        copy.lines = lines;
        return copy;
    }
}
