package org.torchnnapi.torchscript.specialise.lower;

import static org.torchnnapi.torchscript.specialise.Agreement.floats;
import static org.torchnnapi.torchscript.specialise.Agreement.lowered;

import org.junit.jupiter.api.Test;

class LinearLoweringTest {
    @Test
    void layers() {
        Object[] constants = {floats(7, 5), floats(7)};
        lowered("torch.linear(x, CONSTANTS.c0, CONSTANTS.c1)", constants, floats(3, 5));
        lowered("torch.linear(x, CONSTANTS.c0)", constants, floats(2, 3, 5));
        lowered("torch.addmm(CONSTANTS.c1, x, torch.t(CONSTANTS.c0))", constants, floats(3, 5));
        lowered("torch.relu(torch.matmul(x, torch.t(CONSTANTS.c0)))", constants, floats(2, 4, 5));
    }

    @Test
    void productsOfWhatVaries() {
        lowered("torch.bmm(x, y)", floats(2, 3, 5), floats(2, 5, 4));
        lowered("torch.mm(x, y)", floats(3, 5), floats(5, 4));
        lowered("torch.matmul(x, torch.transpose(y, 2, 3))", floats(1, 2, 3, 5), floats(1, 2, 4, 5));
    }
}
