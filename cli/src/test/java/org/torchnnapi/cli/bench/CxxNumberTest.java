package org.torchnnapi.cli.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CxxNumberTest {
    /** Expected text from a C++ program's {@code std::cout << value}. */
    @ParameterizedTest
    @CsvSource({
        "36012.7, 36012.7",
        "36012.74, 36012.7",
        "27.76798, 27.768",
        "100, 100",
        "0.5, 0.5",
        "1000000, 1e+06",
        "1234567.8, 1.23457e+06",
        "999999.5, 1e+06",
        "0.0001, 0.0001",
        "0.00001234, 1.234e-05",
        "0, 0",
        "27.7680, 27.768",
        "123456, 123456",
        "-2.5, -2.5"
    })
    void printsSixSignificantDigits(double value, String expected) {
        assertEquals(expected, CxxNumber.format(value));
    }
}
