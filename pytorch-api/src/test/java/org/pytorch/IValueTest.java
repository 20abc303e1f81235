package org.pytorch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;

class IValueTest {
    private static final Tensor TENSOR = Tensor.fromBlob(new float[] {1}, new long[] {1});

    @Test
    void accessorsRefuseOtherKindsByName() {
        Map<String, IValue> kinds = new LinkedHashMap<>();
        kinds.put("Null", IValue.optionalNull());
        kinds.put("Tensor", IValue.from(TENSOR));
        kinds.put("Bool", IValue.from(true));
        kinds.put("Long", IValue.from(1L));
        kinds.put("Double", IValue.from(1.0));
        kinds.put("String", IValue.from("x"));
        kinds.put("Tuple", IValue.tupleFrom());
        kinds.put("BoolList", IValue.listFrom(true));
        kinds.put("LongList", IValue.listFrom(1L));
        kinds.put("DoubleList", IValue.listFrom(1.0));
        kinds.put("TensorList", IValue.listFrom(TENSOR));
        kinds.put("GenericList", IValue.listFrom(IValue.from("x")));
        kinds.put("DictStringKey", IValue.dictStringKeyFrom(Map.of()));
        kinds.put("DictLongKey", IValue.dictLongKeyFrom(Map.of()));
        kinds.forEach((name, value) -> {
            if (!name.equals("String")) {
                assertEquals(
                        "Expected IValue type String, actual type " + name,
                        assertThrows(IllegalStateException.class, value::toStr).getMessage());
            } else {
                assertEquals(
                        "Expected IValue type GenericList, actual type String",
                        assertThrows(IllegalStateException.class, value::toList).getMessage());
            }
        });
    }

    @Test
    void listsOfMixedKindsAreRefused() {
        assertEquals(
                "List must contain items of the same type",
                assertThrows(IllegalArgumentException.class, () -> IValue.listFrom(IValue.from(1L), IValue.from("x")))
                        .getMessage());
    }

    @Test
    void kindsSurviveTheWayThroughTheRuntime() {
        assertNull(Values.toRuntime(IValue.optionalNull(), null));
        assertEquals(
                3L, Values.fromRuntime(Values.toRuntime(IValue.from(3L), null)).toLong());
        assertEquals(
                0.5,
                Values.fromRuntime(Values.toRuntime(IValue.from(0.5), null)).toDouble());
        assertTrue(Values.fromRuntime(Values.toRuntime(IValue.from(true), null)).toBool());
        assertEquals(
                "ж",
                Values.fromRuntime(Values.toRuntime(IValue.from("ж"), null)).toStr());
        assertArrayEquals(
                new boolean[] {true, false},
                Values.fromRuntime(Values.toRuntime(IValue.listFrom(true, false), null))
                        .toBoolList());
        assertArrayEquals(
                new long[] {1, 2},
                Values.fromRuntime(Values.toRuntime(IValue.listFrom(1L, 2L), null))
                        .toLongList());
        assertArrayEquals(
                new double[] {1, 2},
                Values.fromRuntime(Values.toRuntime(IValue.listFrom(1.0, 2.0), null))
                        .toDoubleList());
        assertEquals(
                1,
                Values.fromRuntime(Values.toRuntime(IValue.listFrom(TENSOR), null))
                        .toTensorList()
                        .length);
        IValue nested = IValue.listFrom(IValue.listFrom(1L), IValue.listFrom(2L, 3L));
        IValue[] items = Values.fromRuntime(Values.toRuntime(nested, null)).toList();
        assertArrayEquals(new long[] {2, 3}, items[1].toLongList());
        IValue dict = IValue.dictLongKeyFrom(Map.of(4L, IValue.from("four")));
        assertEquals(
                "four",
                Values.fromRuntime(Values.toRuntime(dict, null))
                        .toDictLongKey()
                        .get(4L)
                        .toStr());
        IValue tuple = IValue.tupleFrom(IValue.from(1L), IValue.optionalNull());
        assertTrue(
                Values.fromRuntime(Values.toRuntime(tuple, null)).toTuple()[1].isNull());
    }

    @Test
    void emptyContainersCountAsTensors() {
        assertSame(
                Type.Basic.TENSOR, ((ScriptList) Values.toRuntime(IValue.listFrom(new IValue[0]), null)).elementType());
        ScriptDict dict = (ScriptDict) Values.toRuntime(IValue.dictStringKeyFrom(Map.of()), null);
        assertSame(Type.Basic.TENSOR, dict.valueType());
        assertSame(Type.Basic.STRING, dict.keyType());
    }

    @Test
    void valuesWithoutAnIValueAreNamed() {
        ScriptDict dict = new ScriptDict(Type.Basic.FLOAT, Type.Basic.INT);
        assertEquals(
                "Unsupported IValue-Dict key type float",
                assertThrows(IllegalArgumentException.class, () -> Values.fromRuntime(dict))
                        .getMessage());
        assertThrows(IllegalArgumentException.class, () -> Values.fromRuntime(List.of()));
        assertThrows(IllegalArgumentException.class, () -> Values.toRuntime(null, null));
    }

    @Test
    void textShowsWhatAValueIs() {
        assertEquals("IValue(Null)", IValue.optionalNull().toString());
        assertEquals("IValue(Long: 3)", IValue.from(3L).toString());
        assertEquals(
                "IValue(Tensor: Tensor([2, 1], dtype=torch.float32))",
                IValue.from(Tensor.fromBlob(new float[2], new long[] {2, 1})).toString());
        assertEquals(
                "IValue(LongList: [0, 0, 0, 0, 0, 0, 0, 0, ... 92 more])",
                IValue.listFrom(new long[100]).toString());
        assertEquals(
                "IValue(Tuple: [IValue(String: \"a\"), IValue(Bool: true)])",
                IValue.tupleFrom(IValue.from("a"), IValue.from(true)).toString());
        assertEquals(
                "IValue(DictStringKey: {\"k\": IValue(Double: 0.5)})",
                IValue.dictStringKeyFrom(Map.of("k", IValue.from(0.5))).toString());
    }
}
