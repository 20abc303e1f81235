package org.torchnnapi.converter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partition.SegmentCost;

/** How to convert; immutable, made by {@link #defaults()} and the {@code with} methods. */
public final class ConversionOptions {
    private static final ConversionOptions DEFAULTS = new ConversionOptions();

    private String method;
    private List<InputSpec> inputs;
    private List<Object> example;
    private Boolean channelsLast;
    private CompilationPreference preference = CompilationPreference.SUSTAINED_SPEED;
    private boolean relaxed;
    private ConversionMode mode = ConversionMode.NONE;
    private boolean selfCheck = true;
    private Duration checkLimit = Duration.ofMinutes(2);
    private Duration deadline;
    private SegmentCost segmentCost = SegmentCost.DEFAULT;
    private Target target;
    private Set<String> keptMethods = Set.of();
    private boolean cpuFallback;
    private boolean lines;
    private boolean exact;

    private ConversionOptions() {}

    /**
     * Inputs from the model's bundled inputs, or as its file says, whose open sizes are open where that converts;
     * PyTorch's defaults otherwise.
     */
    public static ConversionOptions defaults() {
        return DEFAULTS;
    }

    /**
     * The method to convert; unless said {@code forward}, or where there is none, the only one whose name does not
     * begin with an underscore.
     */
    public ConversionOptions withMethod(String name) {
        return with(copy -> copy.method = name);
    }

    /** Describes the inputs; without this they come from the example, or else from the model. */
    public ConversionOptions withInputs(List<InputSpec> specs) {
        return with(copy -> copy.inputs = specs == null ? null : List.copyOf(specs));
    }

    /**
     * An example of the arguments: tensors, whose dtypes, shapes and memory formats are taken over, lists, tuples and
     * dicts of them, numbers, truth values, texts and null. The self-check runs on it.
     */
    public ConversionOptions withExample(List<?> arguments) {
        return with(copy ->
                copy.example = arguments == null ? null : Collections.unmodifiableList(new ArrayList<>(arguments)));
    }

    /** Makes every four-dimensional input NHWC, or none, whatever its description says. */
    public ConversionOptions withChannelsLast(boolean nhwc) {
        return with(copy -> copy.channelsLast = nhwc);
    }

    /** What NNAPI shall optimise the model for; SUSTAINED_SPEED, as PyTorch has it, unless said. */
    public ConversionOptions withPreference(CompilationPreference newPreference) {
        return with(copy -> copy.preference = newPreference);
    }

    /** Allows NNAPI to compute float32 operations in float16. */
    public ConversionOptions withRelaxed(boolean allowed) {
        return with(copy -> copy.relaxed = allowed);
    }

    /** What happens to the quantize and dequantize steps at the ends; NONE unless said. */
    public ConversionOptions withMode(ConversionMode newMode) {
        return with(copy -> copy.mode = newMode);
    }

    /**
     * Whether to load what was made and compare its results with the original's, as happens unless said here.
     * Conversions that fail the check are refused.
     */
    public ConversionOptions withSelfCheck(boolean check) {
        return with(copy -> copy.selfCheck = check);
    }

    /**
     * How long the self-check may take at most, two minutes unless said here; ten times that where results differ, to
     * find what does. A model that runs longer, such as one with a loop that does not end, is refused.
     *
     * @throws IllegalArgumentException unless the time is positive
     */
    public ConversionOptions withCheckLimit(Duration time) {
        if (time.isNegative() || time.isZero()) {
            throw new IllegalArgumentException("check limit: " + time + " (expected: a positive time)");
        }
        return with(copy -> copy.checkLimit = time);
    }

    /**
     * How long a conversion may take, the self-check in it; over it a
     * {@link org.torchnnapi.execution.DeadlineException} is thrown. None unless said here.
     *
     * @param limit null for none
     * @throws IllegalArgumentException unless the time is positive
     */
    public ConversionOptions withDeadline(Duration limit) {
        if (limit != null && (limit.isNegative() || limit.isZero())) {
            throw new IllegalArgumentException("deadline: " + limit + " (expected: a positive time)");
        }
        return with(copy -> copy.deadline = limit);
    }

    /** Which parts of a model are worth a start of NNAPI, where it cannot compute all of it. */
    public ConversionOptions withSegmentCost(SegmentCost cost) {
        return with(copy -> copy.segmentCost = cost);
    }

    /** What the conversion is for; unless said, PyTorch's loader on any phone whose NNAPI knows all operations. */
    public ConversionOptions withTarget(Target newTarget) {
        return with(copy -> copy.target = newTarget);
    }

    /**
     * Methods to keep beside the converted one, as TorchScript. Without this those stay that it does not call, or that
     * hold no weights; names with an underscore at their beginning stay where others call them.
     */
    public ConversionOptions withKeptMethods(Set<String> names) {
        return with(copy -> copy.keptMethods = Set.copyOf(names));
    }

    /**
     * Keeps the original of the converted method beside it as {@code forward_cpu}, with weights that both use stored
     * once. This library's runtime calls it by itself where NNAPI fails; in PyTorch it is a method to call.
     */
    public ConversionOptions withCpuFallback(boolean wanted) {
        return with(copy -> copy.cpuFallback = wanted);
    }

    /**
     * Whether the file tells, in an extra file, which module and line of Python each NNAPI operation comes from. Not
     * unless said here: an application has no use for it, and it shows paths of whoever trained the model.
     */
    public ConversionOptions withLines(boolean wanted) {
        return with(copy -> copy.lines = wanted);
    }

    /**
     * Whether functions of quantized tensors are computed to the bit as PyTorch does, by way of real numbers where
     * NNAPI takes them. Not unless said here: they stay on bytes where that is within one quantum, for all 256 values.
     */
    public ConversionOptions withExact(boolean wanted) {
        return with(copy -> copy.exact = wanted);
    }

    /** Null unless given. */
    public String method() {
        return method;
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

    /** What NNAPI shall optimise the model for. */
    public CompilationPreference preference() {
        return preference;
    }

    /** Whether NNAPI may compute float32 operations in float16. */
    public boolean relaxed() {
        return relaxed;
    }

    /** What happens to quantize and dequantize steps at the ends. */
    public ConversionMode mode() {
        return mode;
    }

    /** Whether the converted model is run beside the original before it is kept. */
    public boolean selfCheck() {
        return selfCheck;
    }

    /** The longest that the self-check may take. */
    public Duration checkLimit() {
        return checkLimit;
    }

    /** The longest that all of it may take, or null. */
    public Duration deadline() {
        return deadline;
    }

    /** Which parts of a model are worth a start of NNAPI. */
    public SegmentCost segmentCost() {
        return segmentCost;
    }

    /** Null unless given. */
    public Target target() {
        return target;
    }

    /** Other methods that the written module keeps. */
    public Set<String> keptMethods() {
        return keptMethods;
    }

    /** Whether the original method stays beside the converted one. */
    public boolean cpuFallback() {
        return cpuFallback;
    }

    /** Whether the file says which line of Python each operation comes from. */
    public boolean lines() {
        return lines;
    }

    /** Whether functions of quantized tensors are computed to the bit. */
    public boolean exact() {
        return exact;
    }

    /** A copy with a change. */
    private ConversionOptions with(Consumer<ConversionOptions> change) {
        ConversionOptions copy = new ConversionOptions();
        copy.method = method;
        copy.inputs = inputs;
        copy.example = example;
        copy.channelsLast = channelsLast;
        copy.preference = preference;
        copy.relaxed = relaxed;
        copy.mode = mode;
        copy.selfCheck = selfCheck;
        copy.checkLimit = checkLimit;
        copy.deadline = deadline;
        copy.segmentCost = segmentCost;
        copy.target = target;
        copy.keptMethods = keptMethods;
        copy.cpuFallback = cpuFallback;
        copy.lines = lines;
        copy.exact = exact;
        change.accept(copy);
        return copy;
    }
}
