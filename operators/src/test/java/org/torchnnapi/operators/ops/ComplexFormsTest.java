package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** What operators are in operators of parts gives what they compute themselves, in double. */
class ComplexFormsTest {
    private static final OperatorRegistry OPERATORS = OperatorRegistry.standard();
    private static final double ERROR = 1e-5;

    private final Random random = new Random(1);
    private final Set<String> asked = new TreeSet<>();

    private Tensor real(int... sizes) {
        Tensor tensor = Tensor.zeros(DType.FLOAT32, sizes);
        float[] values = tensor.storage().floatArray();
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return tensor;
    }

    private Tensor complex(int... sizes) {
        return (Tensor) call("aten::complex", real(sizes), real(sizes));
    }

    private static Object call(String overload, Object... arguments) {
        return OPERATORS.find(overload).kernel().call(arguments);
    }

    private void agrees(String name, Object... arguments) {
        Tensor expected = (Tensor) call("aten::" + name, arguments.clone());
        Tensor made = (Tensor) call("complex::" + name, arguments.clone());
        assertEquals(expected.dtype(), made.dtype(), name);
        assertArrayEquals(expected.sizes(), made.sizes(), name);
        double[] wanted = parts(expected);
        double largest = 1;
        for (double x : wanted) {
            largest = Math.max(largest, Math.abs(x));
        }
        assertArrayEquals(wanted, parts(made), ERROR * largest, name);
        asked.add(name);
    }

    private static double[] parts(Tensor tensor) {
        Tensor real = tensor.dtype().isComplex() ? (Tensor) call("aten::view_as_real", tensor) : tensor;
        double[] values = new double[(int) real.numel()];
        for (int i = 0; i < values.length; i++) {
            values[i] = real.contiguous().getDouble(i);
        }
        return values;
    }

    private static ScriptList ints(long... values) {
        return ScriptList.ofInts(values);
    }

    @Test
    void everyFormGivesWhatItsOperatorDoes() {
        Tensor z = complex(4, 3);
        Tensor w = complex(4, 3);
        Tensor row = complex(3);
        Tensor r = real(4, 3);
        for (Tensor[] pair : new Tensor[][] {{z, w}, {z, r}, {r, z}, {z, row}, {row, z}, {real(3), z}, {row, r}}) {
            for (String name : new String[] {"add", "sub"}) {
                agrees(name + ".Tensor", pair[0], pair[1], 1L);
                agrees(name + ".Tensor", pair[0], pair[1], 3L);
            }
            agrees("mul.Tensor", pair[0], pair[1]);
            agrees("div.Tensor", pair[0], pair[1]);
        }
        agrees("add.Scalar", z, 2L, 3L);
        agrees("sub.Scalar", z, 2.5, 1L);
        agrees("mul.Scalar", z, 2.5);
        agrees("div.Scalar", z, 2.5);
        products();
        for (String name : new String[] {"conj", "_conj", "conj_physical", "view_as_real", "exp", "abs", "angle"}) {
            agrees(name, z);
        }
        agrees("view_as_complex", real(4, 3, 2));
        agrees("polar", r, real(4, 3));
        agrees("to.dtype", r, 9L, false, false, null);
        agrees("to.dtype", z, 9L, false, true, null);
        agrees("to.dtype", z, 6L, false, false, null);
        agrees("to.dtype", r, 7L, false, false, null);
        transforms();
        spectrograms();
        Set<String> forms = new TreeSet<>();
        for (String name : OPERATORS.names()) {
            if (name.startsWith("complex::")) {
                OPERATORS
                        .schemas(name)
                        .forEach(schema -> forms.add(schema.fullName().substring("complex::".length())));
            }
        }
        assertEquals(forms, asked);
    }

    private void products() {
        for (String name : new String[] {"matmul", "mm"}) {
            agrees(name, complex(4, 3), complex(3, 2));
        }
        agrees("bmm", complex(2, 4, 3), complex(2, 3, 2));
        ScriptList operands = new ScriptList(Type.Basic.TENSOR);
        operands.items().add(complex(4, 3));
        operands.items().add(complex(2, 3));
        agrees("einsum", "ab,cb->ac", operands, null);
    }

    private void transforms() {
        for (Object length : new Object[] {null, 3L, 7L}) {
            for (long dimension : new long[] {-1, 0}) {
                for (String norm : new String[] {null, "ortho", "forward"}) {
                    agrees("fft_fft", complex(4, 5), length, dimension, norm);
                    agrees("fft_fft", real(4, 5), length, dimension, norm);
                    agrees("fft_ifft", complex(4, 5), length, dimension, norm);
                    agrees("fft_rfft", real(4, 5), length, dimension, norm);
                    agrees("fft_irfft", complex(4, 5), length, dimension, norm);
                    agrees("fft_irfft", real(4, 5), length, dimension, norm);
                }
            }
        }
        for (String name : new String[] {"fft", "ifft", "rfft", "irfft"}) {
            for (Object sizes : new Object[] {null, ints(3, -1), ints(-1, 6)}) {
                for (Object dimensions : new Object[] {null, ints(0, 2), ints(-1, 0)}) {
                    Tensor in = name.equals("rfft") ? real(4, 2, 5) : complex(4, 2, 5);
                    agrees("fft_" + name + "n", in, sizes, dimensions, null);
                    agrees("fft_" + name + "2", in, sizes, dimensions == null ? ints(-2, -1) : dimensions, "ortho");
                }
            }
        }
    }

    private void spectrograms() {
        Tensor window = Tensor.of(new float[] {0.1f, 0.5f, 0.9f, 1, 1, 0.9f, 0.5f, 0.1f}, 8);
        for (Object complex : new Object[] {null, false, true}) {
            agrees("stft", real(2, 40), 8L, 4L, 8L, window, false, null, complex);
            agrees("stft", real(40), 8L, null, null, null, true, false, complex);
            agrees("stft", real(40), 8L, 3L, 6L, real(6), true, true, complex);
        }
        Tensor spectrum = (Tensor) call("aten::stft", real(2, 40), 8L, 3L, 8L, window, false, true, true);
        for (boolean center : new boolean[] {false, true}) {
            for (boolean normalized : new boolean[] {false, true}) {
                for (Object length : new Object[] {null, 30L, 45L}) {
                    agrees("istft", spectrum, 8L, 3L, 8L, window, center, normalized, null, length, false);
                }
            }
        }
    }
}
