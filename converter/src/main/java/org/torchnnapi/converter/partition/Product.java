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
public record Product<T>(String name) {
    /** The method as one graph, its first input the module. */
    public static final Product<Graph> GRAPH = new Product<>("graph");
    /** Arguments to convert for, as the graph takes them, without the module. */
    public static final Product<List<?>> SAMPLES = new Product<>("samples");
    /** Arguments that are held at what the samples have, each with its value. */
    public static final Product<List<String>> HELD = new Product<>("held arguments");
    /** What was taken off the graph's ends. */
    public static final Product<QuantizedCore> CORE = new Product<>("quantized core");
    /** What is known of the graph's values. */
    static final Product<PartialEvaluation.Facts> FACTS = new Product<>("facts");
    /** Values whose facts were looked for. */
    static final Product<Set<Value>> EVALUATED = new Product<>("evaluated values");
    /** Arguments that constants of the graph follow from. */
    static final Product<Set<Value>> SOURCES = new Product<>("sources of constants");
    /** Which nodes NNAPI computes. */
    static final Product<NodeSupport> SUPPORT = new Product<>("support");
    /** The segments, lowered. */
    static final Product<GraphPartition> PARTITION = new Product<>("partition");
    /** How much of the model the segments compute. */
    static final Product<Coverage> COVERAGE = new Product<>("coverage");
    /** What each release of NNAPI would compute. */
    static final Product<List<LevelCoverage>> LEVELS = new Product<>("coverage of releases");
    /** What the file checks of whole numbers that enter NNAPI, in words. */
    static final Product<List<String>> CHECKED = new Product<>("checks of ranges");
    /** The only segment, where it is all of the model, with names; null where it is not. */
    static final Product<WholeModel> WHOLE = new Product<>("whole model");
    /** What the arguments are to be checked for. */
    static final Product<Map<Value, GuardEmitter.Asked>> GUARDS = new Product<>("guards");
    /** The modules that compile and run the segments. */
    static final Product<List<ScriptObject>> DELEGATES = new Product<>("delegates");
    /** The converted module. */
    static final Product<ScriptObject> MODULE = new Product<>("module");

    @Override
    public String toString() {
        return name;
    }
}
