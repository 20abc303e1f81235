package org.torchnnapi.execution.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.execution.interp.Scripts;
import org.torchnnapi.torchscript.value.Complex;

class ComplexMathTest {
    /** Values of Python's cmath. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        exp   | 0.5 | 0.25 | 1.5974665191199127 | 0.4079001700783598
        exp   | -1.5 | 2.0 | -0.09285491028402633 | 0.2028916804701695
        log   | 0.5 | 0.25 | -0.5815754049028404 | 0.4636476090008061
        log   | -1.5 | 2.0 | 0.9162907318741551 | 2.214297435588181
        log10 | 0.5 | 0.25 | -0.25257498915995297 | 0.20135959813668655
        log10 | -1.5 | 2.0 | 0.3979400086720376 | 0.961657157568468
        sqrt  | 0.5 | 0.25 | 0.7276733451126774 | 0.17178037486125622
        sqrt  | -1.5 | 2.0 | 0.7071067811865475 | 1.4142135623730951
        sinh  | 0.5 | 0.25 | 0.504895714387995 | 0.2789791283502615
        sinh  | -1.5 | 2.0 | 0.8860929093625314 | 2.139040009980677
        cosh  | 0.5 | 0.25 | 1.0925708047319176 | 0.12892104172809826
        cosh  | -1.5 | 2.0 | -0.9789478196465577 | -1.936148329510507
        tanh  | 0.5 | 0.25 | 0.4854872810241353 | 0.19805544995134958
        tanh  | -1.5 | 2.0 | -1.064144399176537 | -0.08039101531016819
        sin   | 0.5 | 0.25 | 0.494485780933195 | 0.22168816414957482
        sin   | -1.5 | 2.0 | -3.752771340479298 | 0.2565539560904818
        cos   | 0.5 | 0.25 | 0.9051501505596068 | -0.12110879604381165
        cos   | -1.5 | 2.0 | 0.26612719531354573 | 3.6177750739401375
        tan   | 0.5 | 0.25 | 0.504500702698564 | 0.31242069250258875
        tan   | -1.5 | 2.0 | -0.005362060922003057 | 1.036920282100185
        asinh | 0.5 | 0.25 | 0.4926756834207706 | 0.2243284526346675
        asinh | -1.5 | 2.0 | -1.6004100552346137 | 0.887765146183905
        acosh | 0.5 | 0.25 | 0.28139605624529274 | 1.069187473519396
        acosh | -1.5 | 2.0 | 1.6224941488715938 | 2.1773078449946515
        atanh | 0.5 | 0.25 | 0.5003700000525311 | 0.3143981432077165
        atanh | -1.5 | 2.0 | -0.22008968066202295 | 1.2452579660726568
        asin  | 0.5 | 0.25 | 0.5016088532755008 | 0.28139605624529274
        asin  | -1.5 | 2.0 | -0.6065115181997547 | 1.6224941488715938
        acos  | 0.5 | 0.25 | 1.069187473519396 | -0.28139605624529274
        acos  | -1.5 | 2.0 | 2.1773078449946515 | -1.6224941488715938
        atan  | 0.5 | 0.25 | 0.4842544903299662 | 0.20058661813123432
        atan  | -1.5 | 2.0 | -1.311223269671635 | 0.3104282830771958
        """)
    void agreesWithPython(String function, double real, double imaginary, double wantedReal, double wantedImaginary) {
        Complex result = (Complex) Scripts.run(
                "(z: complex) -> complex", List.of("return torch." + function + "(z)"), new Complex(real, imaginary));
        assertEquals(wantedReal, result.real(), 1e-14);
        assertEquals(wantedImaginary, result.imaginary(), 1e-14);
    }

    @Test
    void powers() {
        Complex square =
                (Complex) Scripts.run("(z: complex) -> complex", List.of("return torch.pow(z, 2.)"), new Complex(1, 2));
        assertEquals(-3, square.real(), 1e-14);
        assertEquals(4, square.imaginary(), 1e-14);
        assertEquals(
                new Complex(0, 0),
                Scripts.run("(z: complex) -> complex", List.of("return torch.pow(z, 2.)"), new Complex(0, 0)));
    }
}
