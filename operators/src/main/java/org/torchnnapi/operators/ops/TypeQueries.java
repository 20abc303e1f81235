package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.tensor;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Promotion;
import org.torchnnapi.tensor.DType;

/** Types in which operands meet, and whether one may be cast to another. */
public final class TypeQueries implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.op("aten::can_cast(ScalarType from, ScalarType to) -> bool", a -> Promotion.canCast(type(a[0]), type(a[1])));
        r.op("aten::promote_types(ScalarType type1, ScalarType type2) -> ScalarType", a ->
                (long) Promotion.merge(type(a[0]), type(a[1])).code());
        r.op("aten::result_type.Tensor(Tensor tensor, Tensor other) -> ScalarType", a ->
                (long) Promotion.of(tensor(a, 0), tensor(a, 1)).code());
        r.op("aten::result_type.Scalar(Tensor tensor, Scalar other) -> ScalarType", a ->
                (long) Promotion.of(tensor(a, 0), a[1]).code());
        r.op("aten::result_type.Scalar_Tensor(Scalar scalar, Tensor tensor) -> ScalarType", a ->
                (long) Promotion.of(a[0], tensor(a, 1)).code());
        r.op("aten::result_type.Scalar_Scalar(Scalar scalar1, Scalar scalar2) -> ScalarType", a ->
                (long) Promotion.of(a[0], a[1]).code());
    }

    private static DType type(Object code) {
        return DType.ofCode(((Long) code).intValue());
    }
}
