package org.torchnnapi.converter.partition;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * What a pass leaves for those behind it.
 *
 * @param <T> what it is
 */
public record PassResult<T>(String name) {
    /** The method as one graph, its first input the module. */
    public static final PassResult<Graph> GRAPH = new PassResult<>("graph");
    /** Arguments to convert for, as the graph takes them, without the module. */
    public static final PassResult<List<?>> SAMPLES = new PassResult<>("samples");
    /** Arguments that are held at what the samples have, each with its value. */
    public static final PassResult<List<String>> HELD = new PassResult<>("held arguments");
    /** What was taken off the graph's ends. */
    public static final PassResult<QuantizedCore> CORE = new PassResult<>("quantized core");
    /** What is known of the graph's values. */
    static final PassResult<PartialEvaluation.Facts> FACTS = new PassResult<>("facts");
    /** Values whose facts were looked for. */
    static final PassResult<Set<Value>> EVALUATED = new PassResult<>("evaluated values");
    /** Arguments that constants of the graph follow from. */
    static final PassResult<Set<Value>> SOURCES = new PassResult<>("sources of constants");
    /** Which nodes NNAPI computes. */
    static final PassResult<NodeSupport> SUPPORT = new PassResult<>("support");
    /** The segments, lowered. */
    static final PassResult<GraphPartition> PARTITION = new PassResult<>("partition");
    /** How much of the model the segments compute. */
    static final PassResult<Coverage> COVERAGE = new PassResult<>("coverage");
    /** What each release of NNAPI would compute. */
    static final PassResult<List<LevelCoverage>> LEVELS = new PassResult<>("coverage of releases");
    /** What the file checks of whole numbers that enter NNAPI, in words. */
    static final PassResult<List<String>> CHECKED = new PassResult<>("checks of ranges");
    /** The only segment, where it is all of the model, with names; null where it is not. */
    static final PassResult<WholeModel> WHOLE = new PassResult<>("whole model");
    /** What the arguments are to be checked for. */
    static final PassResult<Map<Value, GuardEmitter.Asked>> GUARDS = new PassResult<>("guards");
    /** The modules that compile and run the segments. */
    static final PassResult<List<ScriptObject>> DELEGATES = new PassResult<>("delegates");
    /** The converted module. */
    static final PassResult<ScriptObject> MODULE = new PassResult<>("module");

    @Override
    public String toString() {
        return name;
    }
}
