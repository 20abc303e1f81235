package org.torchnnapi.tflite;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.WholeModel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tflite.FlatGraph.TensorRef;

/**
 * Writes what NNAPI computes of a converted model as a file of TensorFlow Lite (LiteRT): the same graph, with a
 * signature {@code serving_default} that names inputs and outputs. Images are N, H, W, C, quantized tensors signed
 * bytes, int64 and bool int32.
 */
public final class TfliteExport {
    private static final String DESCRIPTION = "torch-nnapi";

    private TfliteExport() {}

    /**
     * The file of a conversion.
     *
     * @throws UnsupportedByTflite if the model has what TensorFlow Lite lacks
     * @throws IllegalArgumentException if NNAPI computes only parts of the model, or the conversion was refused
     */
    public static byte[] write(Conversion conversion) {
        WholeModel whole = conversion.whole();
        if (whole == null) {
            throw new IllegalArgumentException(
                    "model: " + (conversion.succeeded() ? "NNAPI computes parts of it" : "refused")
                            + " (expected: one that converts as a whole)");
        }
        return write(whole);
    }

    /**
     * The file of an NNAPI model.
     *
     * @throws UnsupportedByTflite if the model has what TensorFlow Lite lacks, which is listed whole
     */
    public static byte[] write(WholeModel whole) {
        Model model = whole.model();
        Exporter to = new Exporter(model);
        Set<String> lacking = new LinkedHashSet<>();
        List<TensorRef> in = new ArrayList<>();
        for (WholeModel.Named named : whole.inputs()) {
            in.add(input(to, model.inputs()[named.index()], named));
        }
        for (WholeModel.Named named : whole.outputs()) {
            to.named(model.outputs()[named.index()], named.shape() == null ? named.name() : null);
        }
        for (Operation operation : model.operations()) {
            try {
                OperationWriters.write(to, operation);
            } catch (UnsupportedByTflite e) {
                lacking.addAll(e.reasons());
            }
        }
        if (!lacking.isEmpty()) {
            throw new UnsupportedByTflite(lacking);
        }
        List<TensorRef> out = new ArrayList<>();
        for (WholeModel.Named named : whole.outputs()) {
            out.add(output(to, model.outputs()[named.index()], named));
        }
        return to.graph().finish(DESCRIPTION, in, names(whole.inputs()), out, names(whole.outputs()));
    }

    private static List<String> names(List<WholeModel.Named> tensors) {
        List<String> names = new ArrayList<>();
        tensors.forEach(tensor -> names.add(tensor.name()));
        return names;
    }

    private static TensorRef input(Exporter to, int operand, WholeModel.Named named) {
        TensorRef own = to.named(operand, named.name());
        if (named.shape() == null || Arrays.equals(own.shape(), named.shape())) {
            return own;
        }
        TensorRef given =
                to.graph().tensor(named.name(), named.shape(), own.type(), own.scale(), own.zeroPoint(), null);
        OperationWriters.reshape(to, own, given);
        return given;
    }

    private static TensorRef output(Exporter to, int operand, WholeModel.Named named) {
        TensorRef own = to.tensor(operand);
        if (named.shape() == null || Arrays.equals(own.shape(), named.shape())) {
            return own;
        }
        TensorRef returned =
                to.graph().tensor(named.name(), named.shape(), own.type(), own.scale(), own.zeroPoint(), null);
        OperationWriters.reshape(to, returned, own);
        return returned;
    }
}
