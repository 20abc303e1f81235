package org.torchnnapi.operators.ops;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;

/** The table of families that make, index, reduce and order tensors; {@link Families} has those that compute on them. */
public final class DataFamilies {
    /** Operators on tensors. */
    public static final List<OperatorFamily> TENSOR_OPERATORS = List.of(
        new Factories(),
        new Ranges(),
        new LiteralTensors(),
        new RandomNumbers(), new Dropouts(),
        new Sums(),
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
        new RecurrentOperators(),
        new PackedSequences.Operators(),
        new SuppressionOperators(),
        new RegionPooling(),
        new DeformableConvolution(),
        new FourierTransforms(),
        new Spectrograms(),
        new WindowFunctions(),
        new Attention(),
        new DotProductAttention(),
        new BatchNormForms(),
        new Assertions(),
        new RecentForms(), new InterpolationForms(),
        new NestedTensors(),
        new Losses(),
        new MarginLosses(),
        new SequenceLoss(),
        new Distances(),
        new EinsteinSum(),
        new Uniques(),
        new Columns(),
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
        new ResizingOperators(),
        new Histograms(),
        new GroupReductions(),
        new TypeQueries(),
        new Shorthands(), new FunctionalForms()
    );

    private DataFamilies() {
    }
}
