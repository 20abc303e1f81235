package org.torchnnapi.operators.packed;

import java.util.List;
import org.torchnnapi.torchscript.value.CustomClass;

/** The one list of all packed classes. */
public final class PackedClasses {
    public static final List<CustomClass> ALL = List.of(
            ConvolutionParams.CLASS_2D,
            ConvolutionParams.CLASS_3D,
            LinearParams.CLASS,
            EmbeddingParams.CLASS,
            CellParams.CLASS,
            FloatContext.CONVOLUTION,
            FloatContext.TRANSPOSED,
            FloatContext.LINEAR,
            RecordFunction.CLASS);

    private PackedClasses() {}
}
