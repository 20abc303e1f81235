package org.torchnnapi.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileNameTest {
    @Test
    void namesAreNamesAlone() {
        assertEquals("net.pt", FileName.of("net.pt", FileName.MODELS));
        assertEquals("my net (1).pt2", FileName.of("my%20net%20(1).pt2", FileName.MODELS));
        assertEquals("a+b.ptl", FileName.of("a+b.ptl", FileName.MODELS));
        assertEquals("passwd.pt", FileName.of("..%2F..%2Fetc%2Fpasswd.pt", FileName.MODELS));
        assertEquals("net.pt", FileName.of("C%3A%5Cmodels%5Cnet.pt", FileName.MODELS));
        assertEquals("_hidden.pt", FileName.of(".hidden.pt", FileName.MODELS));
        assertEquals("_-o.pt", FileName.of("--o.pt", FileName.MODELS));
    }

    @Test
    void nothingInThemIsMarkupAHeaderOrAnOption() {
        String name = FileName.of(
                "%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%0D%0AX%3A%201%E2%80%AE%00.pt", FileName.MODELS);
        assertTrue(name.matches("[A-Za-z0-9._ ()=_]+"), name);
    }

    @Test
    void longOnesAreCutBeforeTheirEnding() {
        String name = FileName.of("x".repeat(5000) + ".pt2", FileName.MODELS);
        assertEquals(80, name.length());
        assertTrue(name.endsWith("x.pt2"), name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "net", "net.onnx", ".pt", "net.pt%00.exe", "net.pt/", "%", "%zz.pt"})
    void othersAreRefused(String encoded) {
        HttpError refused = assertThrows(HttpError.class, () -> FileName.of(encoded, FileName.MODELS));
        assertEquals(HttpError.BAD_REQUEST, refused.status());
        assertTrue(refused.getMessage().contains("(expected: "), refused.getMessage());
    }
}
