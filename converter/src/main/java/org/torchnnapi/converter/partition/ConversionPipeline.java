package org.torchnnapi.converter.partition;

import static org.torchnnapi.converter.partition.ConversionPass.fixpoint;
import static org.torchnnapi.converter.partition.ConversionPass.pass;
import static org.torchnnapi.converter.partition.ConversionPass.rewriting;
import static org.torchnnapi.converter.partition.PassResult.*;

import java.util.List;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.operators.passes.Unpacking;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * What happens to a method between the model's file and the module that calls NNAPI, in order. A model that was read
 * ({@code ScriptModule.load}) has examples of its arguments ({@code InputSource}); then come lists of passes:
 *
 * <ol>
 *   <li>{@link #PREPARE} makes one pure graph of the method, for any arguments.
 *   <li>{@link #LEGALIZE} evaluates it on the examples, so that shapes are constants, asks of each node whether NNAPI
 *       computes it, and says what it does not compute in operators that it may, until there is nothing more to say.
 *       Then the graph is partitioned, once.
 *   <li>{@link #MEASURE} says for the report what the segments compute.
 *   <li>{@link #EMIT} puts calls of the segments' NNAPI modules in their places.
 * </ol>
 *
 * The file that is made of the module is checked beside the original ({@code ConversionCheck}) before anyone gets it.
 * Sizes that are left open go the same way: {@link DynamicShapeConversion} legalizes the graph for a dozen sizes and
 * emits what they have in common.
 *
 * <p>A pass is an entry here and a class that does the work. What it does not declare to need or to give it cannot get
 * at ({@link ConversionState}).
 */
public final class ConversionPipeline {
    /** Of a method: its graph, for any arguments. */
    public static final ConversionPipeline PREPARE = new ConversionPipeline(
            // Calls inlined, attributes constants, writes in place made new tensors, normalizations folded.
            pass("freeze", ConversionSteps::freeze).giving(GRAPH),
            // Where nothing converts for any numbers: numbers among the arguments are those of the samples.
            pass("hold numbers", ConversionSteps::holdNumbers)
                    .needing(GRAPH, SAMPLES)
                    .giving(GRAPH, HELD),
            // Scales are numbers, and what moves elements moves quantized ones.
            pass("normalize quantize steps", state -> QuantizeSteps.run(state.get(GRAPH)))
                    .needing(GRAPH)
                    .giving(GRAPH),
            // Where callers pass quantized tensors: the steps at the ends are taken off.
            pass("cut quantized core", ConversionSteps::cutQuantizedCore)
                    .needing(GRAPH, SAMPLES)
                    .giving(GRAPH, SAMPLES, CORE),
            // What was packed for mobile processors is said in ordinary operators.
            pass("unpack", state -> Unpacking.run(state.get(GRAPH)))
                    .needing(GRAPH)
                    .giving(GRAPH));

    /** Of a graph and samples: constants where elements decide nothing, and segments that NNAPI computes. */
    public static final ConversionPipeline LEGALIZE = new ConversionPipeline(
            fixpoint(
                    "legalize",
                    // Masked writes that a branch only spares where the mask is empty.
                    pass("take masked branches", ConversionSteps::takeMaskedBranches)
                            .needing(GRAPH)
                            .giving(GRAPH),
                    // The graph made anew, run on the samples: what does not hang on elements is constant.
                    pass("evaluate partially", ConversionSteps::evaluate)
                            .needing(GRAPH, SAMPLES, SOURCES)
                            .giving(GRAPH, FACTS, SOURCES, EVALUATED),
                    pass("take more masked branches", ConversionSteps::takeMaskedBranches)
                            .needing(GRAPH)
                            .giving(GRAPH),
                    pass("simplify", ConversionSteps::simplify).needing(GRAPH).giving(GRAPH),
                    pass("evaluate new values", ConversionSteps::evaluateNew)
                            .needing(GRAPH, SAMPLES, SOURCES, EVALUATED)
                            .giving(GRAPH, FACTS, SOURCES, EVALUATED),
                    pass("slice listed parts", state -> ListParts.run(state.get(GRAPH), state.get(FACTS)))
                            .needing(GRAPH, FACTS)
                            .giving(GRAPH, FACTS),
                    // Of each node: whether NNAPI computes it, or why not.
                    pass("ask for support", ConversionSteps::askForSupport)
                            .needing(GRAPH, FACTS)
                            .giving(SUPPORT),
                    // What NNAPI has no operation for it may have operations for, in others.
                    rewriting("dequantize around real operators", state -> DequantizeFallback.run(state.get(SUPPORT)))
                            .needing(SUPPORT)
                            .giving(GRAPH),
                    rewriting("multiply reals by channels", state -> ChannelReals.run(state.get(SUPPORT)))
                            .needing(SUPPORT)
                            .giving(GRAPH),
                    rewriting(
                                    "split complex numbers",
                                    state -> ComplexNumbers.run(state.get(GRAPH), state.get(SUPPORT)))
                            .needing(GRAPH, SUPPORT)
                            .giving(GRAPH, FACTS),
                    rewriting("decompose composites", ConversionSteps::decompose)
                            .needing(GRAPH, SUPPORT)
                            .giving(GRAPH)),
            // By cost on the device. Segments are lowered: what each starts and moves is known.
            pass("partition", ConversionSteps::partition)
                    .needing(GRAPH, SUPPORT)
                    .giving(GRAPH, PARTITION));

    /** Of a partition: what the report says of it. */
    static final ConversionPipeline MEASURE = new ConversionPipeline(
            pass("compare releases", state -> state.put(LEVELS, PartitionCoverage.levels(state)))
                    .needing(GRAPH, SUPPORT, PARTITION)
                    .giving(LEVELS),
            pass("measure coverage", ConversionSteps::measureCoverage)
                    .needing(FACTS, PARTITION)
                    .giving(COVERAGE),
            pass(
                            "describe checks of ranges",
                            state -> state.put(CHECKED, state.get(PARTITION).checkedInWords()))
                    .needing(PARTITION)
                    .giving(CHECKED),
            // For other formats than PyTorch's, where NNAPI computes all.
            pass("name inputs and outputs", ConversionSteps::nameInputsAndOutputs)
                    .needing(GRAPH, PARTITION)
                    .giving(WHOLE));

    /** Of a partition: the module that calls NNAPI. */
    static final ConversionPipeline EMIT = new ConversionPipeline(
            pass("guard arguments", ConversionSteps::guardArguments)
                    .needing(GRAPH, SAMPLES, FACTS, PARTITION)
                    .giving(GUARDS),
            pass("make delegates", ConversionSteps::makeDelegates)
                    .needing(PARTITION)
                    .giving(DELEGATES),
            pass("call delegates", ConversionSteps::callDelegates)
                    .needing(GRAPH, PARTITION, DELEGATES, GUARDS)
                    .giving(GRAPH, MODULE));

    private final List<ConversionPass> passes;

    private ConversionPipeline(ConversionPass... passes) {
        this.passes = List.of(passes);
    }

    public List<ConversionPass> passes() {
        return passes;
    }

    /**
     * The same without what gives something.
     *
     * @throws IllegalArgumentException if no pass gives it
     */
    public ConversionPipeline without(PassResult<?> product) {
        ConversionPass[] left =
                passes.stream().filter(pass -> !pass.gives().contains(product)).toArray(ConversionPass[]::new);
        if (left.length == passes.size()) {
            throw new IllegalArgumentException(product + " (expected: what a pass gives)");
        }
        return new ConversionPipeline(left);
    }

    public ConversionState run(ConversionState state) {
        passes.forEach(state::run);
        return state;
    }

    /** Legalizes and emits what was prepared, or says why not. */
    public static ConvertedMethod convert(ConversionState state) {
        try {
            LEGALIZE.run(state);
        } catch (RuntimeException e) {
            return ConvertedMethod.refused(Refusal.ofModel(
                    ConvertedMethod.MUST_RUN,
                    e.getMessage(),
                    "a model that runs",
                    "give inputs that the model takes as examples"));
        }
        try {
            MEASURE.run(state);
            return ConvertedMethod.of(state.get(PARTITION).segments().isEmpty() ? state : EMIT.run(state));
        } catch (IllegalStateException e) {
            return ConvertedMethod.refused(Refusal.ofModel(
                    "the divided model must be a legal one",
                    e.getMessage(),
                    "a legal graph",
                    "please report this model"));
        } catch (Refused e) {
            return ConvertedMethod.refused(e.reason().of("model", SourceRange.NONE));
        }
    }
}
