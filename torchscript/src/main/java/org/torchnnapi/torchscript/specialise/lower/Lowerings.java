package org.torchnnapi.torchscript.specialise.lower;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The one list of all lowerings. */
public final class Lowerings {
    private static final List<LoweringFamily> FAMILIES = List.of(new ConvolutionLowering(), new LinearLowering(), new NormalizationLowering(),
        new ActivationLowering(), new ArithmeticLowering(), new PoolingLowering(), new ReductionLowering(), new ConcatenationLowering(),
        new ReshapeLowering(), new PermutationLowering(), new SliceLowering(), new PaddingLowering(), new SoftmaxLowering(),
        new ResizeLowering(), new IdentityLowering(), new QuantizationLowering(), new QuantizedProductLowering(),
        new QuantizedArithmeticLowering(), new QuantizedActivationLowering(), new PrepackedLowering(), new RecurrentLowering(), new AttentionLowering(),
        new ArrangementLowering(), new SelectionLowering(), new PowerLowering(), new EinsteinSumLowering(),
        new ComparisonLowering(), new LogicLowering(), new EmbeddingLowering(), new CumulativeLowering(), new DynamicLowering(), new VolumeLowering(), new PlacesLowering());

    private static final Map<String, Lowering> TABLE = new HashMap<>();

    static {
        FAMILIES.forEach(family -> family.register((kind, lowering) -> TABLE.put(kind, SlicedLowering.of(kind, lowering))));
    }

    private Lowerings() {
    }

    /** The lowering of an operator, or null if there is none. */
    public static Lowering of(String kind) {
        return TABLE.get(kind);
    }
}
