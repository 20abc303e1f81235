package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ClassNamesTest {
    @Test
    void aNameThatIsTakenIsMangled() {
        ClassNames names = new ClassNames();
        assertEquals("__torch__.net.Net", names.unused("net.Net"));
        assertEquals("__torch__.net.___torch_mangle_0.Net", names.unused("net.Net"));
        assertEquals("__torch__.exported.Net", names.unused("Net"));
    }

    @Test
    void whatTorchScriptCannotWriteIsAPlainModule() {
        ClassNames names = new ClassNames();
        assertEquals("__torch__.torch.nn.Module", names.unused("net.<locals>.Net"));
        assertEquals("__torch__.torch.nn.___torch_mangle_0.Module", names.unused("torch.classes.x.Y"));
    }
}
