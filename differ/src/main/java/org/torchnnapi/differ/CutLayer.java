package org.torchnnapi.differ;

import java.util.List;
import java.util.function.Function;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;

/**
 * One layer of a model as a model of its own, with the inputs it had: what a bug report needs and no more.
 *
 * @param inputs what {@code forward} takes
 * @param archive makes the file's archive of the name of its top folder
 */
public record CutLayer(List<Tensor> inputs, Function<String, ArchiveWriter> archive) {
    /**
     * @param step an operator or an operation of NNAPI, with or without an activation
     * @throws IllegalArgumentException for an operation of NNAPI that no file has alone, as PyTorch's loader has no
     *     such inputs or constants
     */
    public static CutLayer of(RecordedStep step, Interpreter interpreter) {
        return step.isNnapi() ? CutOperation.of(step) : CutOperator.of(step, interpreter);
    }
}
