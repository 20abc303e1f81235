package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class SynonymsTest {
    @Test
    void aSecondNameMeansTheFirst() {
        expect(tensor("special_expit", vector(0)), sizes(1), 0.5);
        expect(tensor("special_softmax", vector(1, 1), 0L), sizes(2), 0.5, 0.5);
        expect(tensor("greater.Scalar", vector(1, 3), 2L), DType.BOOL, sizes(2), 0, 1);
        expect(tensor("subtract.Tensor", vector(5), vector(1), 2L), sizes(1), 3);
        expect(tensor("concatenate", list(vector(1), vector(2))), sizes(2), 1, 2);
        expect(tensor("divide.Tensor_mode", vector(7), vector(2), "floor"), sizes(1), 3);
        expect(tensor("multiply.Tensor", vector(7), vector(2)), sizes(1), 14);
        expect(tensor("true_divide.Scalar", vector(7), 2L), sizes(1), 3.5);
        expect(tensor("clip", vector(-1, 3), null, 2L), sizes(2), -1, 2);
        expect(tensor("clip.Tensor", vector(-1, 3), vector(0), null), sizes(2), 0, 3);
        expect(tensor("fix", vector(-1.5)), sizes(1), -1);
    }

    @Test
    void copiesOfViewsHaveMemoryOfTheirOwn() {
        Tensor t = floats(sizes(2, 2), 1, 2, 3, 4);
        Tensor copy = tensor("transpose_copy.int", t, 0L, 1L);
        expect(copy, sizes(2, 2), 1, 3, 2, 4);
        tensor("zero_", t);
        expect(copy, sizes(2, 2), 1, 3, 2, 4);
        expect(tensor("view_copy", copy, ints(4)), sizes(4), 1, 3, 2, 4);
    }
}
