package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/**
 * The table of families that make, index, reduce and order tensors; {@link Families} has those that compute on them.
 */
public final class OperatorTables {
    /** Operators on tensors. */
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of(
            new TensorFactories(),
            new RangeFactories(),
            new LiteralTensors(),
            new Distributions(),
            new Dropouts(),
            new ReduceOps(),
            new Extremes(),
            new Moments(),
            new Cumulative(),
            new Differences(),
            new Gradients(),
            new GradientRequests(),
            new SparseForms(),
            new CompressedForms(),
            new Covariance(),
            new Quantiles(),
            new Sorting(),
            new RnnFamily(),
            new PackedSequences.Operators(),
            new SuppressionOperators(),
            new RegionPooling(),
            new DeformableConvolution(),
            new FourierTransforms(),
            new Spectrograms(),
            new ComplexForms(),
            new WindowFunctions(),
            new Attention(),
            new DotProductAttention(),
            new BatchNormForms(),
            new Assertions(),
            new RecentForms(),
            new CoreForms(),
            new DecomposedQuantization(),
            new AffineQuantization(),
            new InterpolationForms(),
            new NestedTensors(),
            new Loss(),
            new LossMultiMargin(),
            new LossCtc(),
            new Distance(),
            new EinsteinSum(),
            new Unique(),
            new Im2Col(),
            new Combinations(),
            new ViewScatters(),
            new FloatParts(),
            new LinearSystems(),
            new AffineGrid(),
            new WeightNorm(),
            new SpecialMath(),
            new MatrixFactors(),
            new MatrixSpectra(),
            new MatrixInverses(),
            new LinearAlgebra(),
            new Synonyms(),
            new FractionalPooling(),
            new ResizeFamily(),
            new Histogram(),
            new GroupReductions(),
            new TypeQueries(),
            new Shorthands(),
            new FunctionalForms());

    private OperatorTables() {}
}
