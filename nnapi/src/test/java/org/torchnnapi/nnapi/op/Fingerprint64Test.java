package org.torchnnapi.nnapi.op;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class Fingerprint64Test {
    /**
     * Expected values from FarmHash's own Fingerprint64, over the first bytes of an alphabet repeated; one length for
     * each of its cases.
     */
    @ParameterizedTest
    @CsvSource({
        "0, 9ae16a3b2f90404f", "1, b3454265b6df75e3", "3, 24a5b3a074e7f369", "4, 1a5502de4a1f8101",
        "7, 3c40c92b1ccb7355", "8, fee9d22990c82909", "15, 687dfc2653bb2c1d", "16, 54630bad7705cebd",
        "17, 9e2106c72d7793a8", "31, 642de83168d3f4d0", "32, ff96b8a54087359a", "33, 1bd257e2fc3da812",
        "63, d52b7a8646a91b9e", "64, 9c4a595c23bb9bfa", "65, 2434d8917886fe2a", "100, d4d417919b0a94e2",
        "128, c3244d5ec8a4474a", "129, 9b1ca0571b8cefd4", "200, 25d40299e8419af6", "300, 93480430f4019a90"
    })
    void agreesWithFarmHash(int length, String expected) {
        byte[] key =
                "abcdefghijklmnopqrstuvwxyz".repeat(12).substring(0, length).getBytes(StandardCharsets.US_ASCII);
        assertEquals(expected, Long.toHexString(Fingerprint64.of(key)));
    }
}
