package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.tensor.DType;

class OutputTemplateTextTest {
    private static String body(OutputTemplate... templates) {
        String text = OutputTemplateText.classSource(List.of(templates), "__torch__.a.Shapes");
        return text.substring(text.indexOf("-> List[Tensor]:\n") + "-> List[Tensor]:\n".length());
    }

    @Test
    void shortTemplatesStandInPlace() {
        assertEquals(
                "    return [torch.zeros([1, 10], dtype=6)]\n",
                body(new OutputTemplate(DType.FLOAT32, new int[] {1, 10}, 0, 0)));
    }

    @Test
    void longPartsGetNames() {
        assertEquals(
                """
                _0 = torch.zeros([100, 200, 300, 400], dtype=6)
                _1 = torch.zeros(annotate(List[int], []), dtype=3)
                return [_0, _1]
            """,
                body(
                        new OutputTemplate(DType.FLOAT32, new int[] {100, 200, 300, 400}, 0, 0),
                        new OutputTemplate(DType.INT32, new int[0], 0, 0)));
    }

    @Test
    void quantizedTemplatesExpandOneElement() {
        assertEquals("""
                _0 = torch.quantize_per_tensor(torch.zeros([1]), 0.10000000000000001, 7, 13)
                _1 = torch.contiguous(torch.expand(_0, [3]))
                return [_1]
            """, body(new OutputTemplate(DType.QUINT8, new int[] {3}, 0.1, 7)));
    }
}
