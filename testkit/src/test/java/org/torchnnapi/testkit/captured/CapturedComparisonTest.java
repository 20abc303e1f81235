package org.torchnnapi.testkit.captured;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

class CapturedComparisonTest {
    private static void same(Object expected, Object actual) {
        assertNull(new CapturedComparison(false, 0, false).compare(expected, actual, "value"));
    }

    private static void different(Object expected, Object actual) {
        assertNotNull(new CapturedComparison(false, 0, false).compare(expected, actual, "value"));
    }

    @Test
    void wholeNumbersTextAndTruthAreExact() {
        same(3L, 3L);
        different(3L, 4L);
        different(3L, 3.0);
        different(true, false);
        different("a", "b");
        same(null, null);
        different(null, 0L);
    }

    @Test
    void realNumbersMayBeOffByWhatTheirTypeAllows() {
        same(1.0, 1.0001);
        different(1.0, 1.001);
        same(Double.NaN, Double.NaN);
        same(new Complex(1, 0), new Complex(1.0001, 1e-6));
        same(Tensor.of(new float[] {1, 1000}, 2), Tensor.of(new float[] {1.005f, 1000}, 2));
        different(Tensor.of(new float[] {1, 1}, 2), Tensor.of(new float[] {1.005f, 1}, 2));
        different(Tensor.of(DType.FLOAT64, new double[] {1}, 1), Tensor.of(DType.FLOAT64, new double[] {1.00001}, 1));
        different(Tensor.of(new float[] {Float.POSITIVE_INFINITY}, 1), Tensor.of(new float[] {Float.MAX_VALUE}, 1));
    }

    @Test
    void typesAndStructureAreCompared() {
        different(Tensor.of(new float[] {1}, 1), Tensor.of(new long[] {1}, 1));
        different(Tensor.of(new float[] {1}, 1), Tensor.of(new float[] {1}, 1, 1));
        different(ScriptTuple.of(1L), new ScriptList(Type.Basic.INT, List.of(1L)));
        different(ScriptTuple.of(1L), ScriptTuple.of(1L, 2L));
        ScriptDict a = new ScriptDict(Type.Basic.STRING, Type.Basic.INT);
        ScriptDict b = new ScriptDict(Type.Basic.STRING, Type.Basic.INT);
        a.items().put("x", 1L);
        a.items().put("y", 2L);
        b.items().put("y", 2L);
        b.items().put("x", 1L);
        same(a, b);
        b.items().put("x", 3L);
        different(a, b);
    }

    @Test
    void objectsOfClassesAreOnlyObjects() {
        CapturedValues.Opaque opaque = new CapturedValues.Opaque("Foo");
        same(new CapturedValues.Opaque("dtype torch.complex32"), Tensor.zeros(DType.COMPLEX32, 2));
        different(new CapturedValues.Opaque("dtype torch.complex32"), Tensor.zeros(DType.COMPLEX64, 2));
        same(opaque, new ScriptObject(new ClassType("__torch__.Foo", ClassType.Kind.OBJECT)));
        different(opaque, 1L);
        different(opaque, null);
    }

    @Test
    void ofRandomAnswersOnlyTypesAndSizesCount() {
        CapturedComparison random = new CapturedComparison(true, 0, false);
        assertNull(random.compare(Tensor.of(new float[] {1}, 1), Tensor.of(new float[] {9}, 1), "value"));
        assertNull(random.compare(1.0, 2.0, "value"));
        assertNotNull(random.compare(1.0, 2L, "value"));
        assertNotNull(random.compare(Tensor.of(new float[] {1}, 1), Tensor.of(new float[] {1, 2}, 2), "value"));
    }

    @Test
    void slackIsAPartOfTheLargestElement() {
        Tensor expected = Tensor.of(new float[] {100, 0}, 2);
        Tensor actual = Tensor.of(new float[] {100, 0.5f}, 2);
        assertNotNull(new CapturedComparison(false, 0.004, false).compare(expected, actual, "value"));
        assertNull(new CapturedComparison(false, 0.006, false).compare(expected, actual, "value"));
    }
}
