package org.torchnnapi.execution.tracing.lower;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.operators.OperatorIndex;

/**
 * The one list of all lowerings. A family is loaded when one of its operators is first met, which an index that the
 * build writes tells: a model has few of them.
 */
public final class Lowerings {
    private static final Map<String, Lowering> TABLE = new ConcurrentHashMap<>();

    /** Not there when the build asks for the names that are to be in it. */
    private static final class Index {
        private static final OperatorIndex INSTANCE =
                OperatorIndex.read(Lowerings.class.getResourceAsStream("lowerings.txt"), "lowerings.txt");
    }

    private Lowerings() {}

    private static List<LoweringFamily> families() {
        return List.of(
                new ConvolutionLowering(),
                new LinearLowering(),
                new NormalizationLowering(),
                new ActivationLowering(),
                new ArithmeticLowering(),
                new PoolingLowering(),
                new ReductionLowering(),
                new MomentsLowering(),
                new ConcatenationLowering(),
                new ReshapeLowering(),
                new PermutationLowering(),
                new SliceLowering(),
                new PaddingLowering(),
                new SoftmaxLowering(),
                new ResizeLowering(),
                new IdentityLowering(),
                new QuantizationLowering(),
                new QuantizedProductLowering(),
                new QuantizedArithmeticLowering(),
                new QuantizedActivationLowering(),
                new PrepackedLowering(),
                new RecurrentLowering(),
                new AttentionLowering(),
                new ArrangementLowering(),
                new SelectionLowering(),
                new PowerLowering(),
                new EinsteinSumLowering(),
                new ComparisonLowering(),
                new LogicLowering(),
                new EmbeddingLowering(),
                new CumulativeLowering(),
                new DynamicLowering(),
                new VolumeLowering(),
                new PlacesLowering(),
                new ShuffleLowering(),
                new IndexLowering());
    }

    /** For the index: the families' class names by operator. */
    public static Map<String, String> familyNames() {
        Map<String, String> names = new TreeMap<>();
        for (LoweringFamily family : families()) {
            String name = family.getClass().getName();
            family.register((kind, lowering) -> {
                String other = names.put(kind, name);
                if (other != null) {
                    throw new IllegalStateException(
                            kind + ": lowered by " + other + " and by " + name + " (expected: once)");
                }
            });
        }
        return names;
    }

    /** The lowering of an operator, or null if there is none. */
    public static Lowering of(String kind) {
        Lowering known = TABLE.get(kind);
        if (known == null) {
            for (String line : Index.INSTANCE.find(kind)) {
                family(line.substring(line.indexOf(OperatorIndex.SEPARATOR) + 1))
                        .register((name, lowering) -> TABLE.put(name, new SlicedLowering(lowering)));
            }
            known = TABLE.get(kind);
        }
        return known;
    }

    private static LoweringFamily family(String className) {
        try {
            return (LoweringFamily)
                    Class.forName(className).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(className + " (expected: a family without parameters; build again)", e);
        }
    }
}
