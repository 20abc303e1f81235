package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class NumberParsingTest {
    @Test
    void exactSmallNumbersAreTaken() {
        for (double value : new double[] {Double.MIN_VALUE, 3 * Double.MIN_VALUE, 0x1.8p-1030, 0x1p-1025}) {
            BigDecimal exact = new BigDecimal(value);
            String plain = exact.toPlainString();
            String significant = exact.unscaledValue() + "e-" + exact.scale();
            for (String text : new String[] {
                plain,
                "-" + plain,
                "000" + plain + "000",
                plain + "e0",
                significant,
                exact.toString(),
                exact.unscaledValue() + ".e-000" + exact.scale(),
                "0." + exact.unscaledValue() + "0e-" + (exact.scale() - exact.precision())
            }) {
                assertEquals(value, Math.abs(NumberParsing.real(text)), text);
            }
            assertThrows(IllegalArgumentException.class, () -> NumberParsing.real(plain + "1"));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> NumberParsing.real(
                            exact.unscaledValue().toString().replaceFirst("^.", "9") + "e-" + (exact.scale() + 10)));
        }
    }

    @Test
    void millionsOfDigitsTakeNoLonger() {
        String digits = "0." + "0".repeat(310) + "1".repeat(4_000_000);
        assertTimeout(
                Duration.ofSeconds(5),
                () -> assertThrows(IllegalArgumentException.class, () -> NumberParsing.real(digits)));
        assertEquals(1 / 9., NumberParsing.real("0." + "1".repeat(4_000_000)));
    }

    @Test
    void messagesQuoteTheBeginning() {
        String message = assertThrows(
                        IllegalArgumentException.class, () -> NumberParsing.integer("9".repeat(1_000_000)))
                .getMessage();
        assertTrue(message.length() < 400 && message.startsWith("stoll: '999"), message);
    }
}
