package org.torchnnapi.torchscript.pickle;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

class NibbleStorageTest {
    private static final byte[] FILE = {0x21, (byte) 0xF3, 0x0A};

    @Test
    void elementsAreTwoInAByteTheFirstInTheLowBits() {
        Storage packed = Storage.of(DType.QUINT4X2, FILE);
        assertArrayEquals(
                new byte[] {1, 2, 3, 15, 10},
                NibbleStorage.unpack(packed, 0, new int[] {5, 1}, new int[] {1, 1})
                        .byteArray());
        assertArrayEquals(
                FILE,
                NibbleStorage.pack(Tensor.of(DType.QUINT4X2, new byte[] {1, 2, 3, 15, 10}, 5))
                        .byteArray());
    }

    @Test
    void viewsAreWrittenAsWhatTheyShow() {
        Tensor columns =
                Tensor.of(DType.QUINT4X2, new byte[] {1, 2, 3, 4}, 2, 2).permute(1, 0);
        assertArrayEquals(new byte[] {0x31, 0x42}, NibbleStorage.pack(columns).byteArray());
    }

    @Test
    void storagesThatAreTooShortAndViewsOfFilesFail() {
        Storage packed = Storage.of(DType.QUINT4X2, FILE);
        assertEquals(3, packed.length());
        assertThrows(
                IllegalArgumentException.class, () -> NibbleStorage.unpack(packed, 0, new int[] {7}, new int[] {1}));
        assertThrows(
                IllegalArgumentException.class, () -> NibbleStorage.unpack(packed, 1, new int[] {2}, new int[] {1}));
        assertThrows(
                IllegalArgumentException.class,
                () -> NibbleStorage.unpack(packed, 0, new int[] {2, 2}, new int[] {1, 2}));
    }
}
