package org.torchnnapi.converter.emit;

import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.operators.shape.RealFormula;
import org.torchnnapi.tensor.DType;

/**
 * What one NNAPI model of a module computes anew for each sizes of the module's inputs. The serialized model is that of
 * an example.
 *
 * @param sizes where each open size is read, by number
 * @param words numbers among the serialized model's words, by position
 * @param reals float32 numbers there, by position
 * @param results dtypes and sizes of what the model returns
 * @param fills weights of one value, by buffer number
 * @param most shapes that are kept compiled at the same time; 0 where the first is the only one
 */
public record OpenShapes(
        List<OpenSize> sizes,
        Map<Integer, Formula> words,
        Map<Integer, RealFormula> reals,
        List<Result> results,
        Map<Integer, Fill> fills,
        int most) {
    /** A size of an argument of the module that the model is part of. */
    public record OpenSize(int argument, int dimension) {}

    /** What is returned, as NNAPI has it. */
    public record Result(DType dtype, List<Formula> sizes, double scale, int zeroPoint) {
        public Result {
            sizes = List.copyOf(sizes);
        }
    }

    /** A tensor of equal elements, as a model of some size has it. */
    public record Fill(List<Formula> sizes) {
        public Fill {
            sizes = List.copyOf(sizes);
        }
    }

    public OpenShapes {
        sizes = List.copyOf(sizes);
        words = Map.copyOf(words);
        reals = Map.copyOf(reals);
        results = List.copyOf(results);
        fills = Map.copyOf(fills);
    }
}
