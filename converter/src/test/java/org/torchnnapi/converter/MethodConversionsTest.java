package org.torchnnapi.converter;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.partition.DeviceSpeed;
import org.torchnnapi.converter.partition.SegmentCost;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Methods that are converted by name, several together, and one for several shapes. */
class MethodConversionsTest {
    private static final ScriptRuntime RUNTIME = Runtimes.standard();
    private static final String NET = "__torch__.net.Net";
    private static final String ENCODE = "  def encode(self: " + NET
            + ",\n    x: Tensor) -> Tensor:\n    return torch.tanh(torch.matmul(x, self.w))\n";
    private static final String DECODE = "  def decode(self: " + NET
            + ",\n    z: Tensor) -> Tensor:\n    return torch.sigmoid(torch.matmul(z, torch.t(self.w)))\n";
    private static final String FORWARD = "  def forward(self: " + NET
            + ",\n    x: Tensor) -> Tensor:\n    return (self).decode((self).encode(x, ), )\n";
    private static final int WIDTH = 64;
    private static final int CODE = 32;

    private static ScriptModule module(String... methods) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new ArchiveWriter("net", 10)
                    .source(
                            "code/__torch__/net.py",
                            "class Net(Module):\n  __parameters__ = []\n  __buffers__ = [\"w\", ]\n"
                                    + "  training : bool\n  w : Tensor\n" + String.join("", methods))
                    .data(new PickledObject(
                            NET, new PickledDict(null).put("training", false).put("w", ramp(WIDTH, CODE))))
                    .write(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
    }

    private static Tensor ramp(int rows, int columns) {
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) {
            values[i] = (i * 7 % 19 - 9) / 64f;
        }
        return Tensor.of(values, rows, columns);
    }

    private static ConversionOptions options(String method, int... shape) {
        return ConversionOptions.defaults()
                .withMethod(method)
                .withInputs(List.of(InputSpec.of(DType.FLOAT32, shape)))
                .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15")));
    }

    private static ScriptModule converted(Conversion conversion) {
        assertTrue(conversion.succeeded(), conversion.report().text());
        return ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME);
    }

    private static void compare(ScriptModule original, ScriptModule converted, String method, Tensor input) {
        assertArrayEquals(
                ((Tensor) original.call(method, input)).toFloatArray(),
                ((Tensor) converted.call(method, input)).toFloatArray(),
                1e-5f,
                method);
    }

    @Test
    void theOnlyMethodIsConvertedWhateverItsName() {
        ScriptModule original = module(ENCODE);
        Conversion conversion = Converter.convert(original, options(null, 2, WIDTH), RUNTIME);
        compare(original, converted(conversion), "encode", ramp(2, WIDTH));
    }

    @Test
    void ofSeveralMethodsWithoutForwardOneMustBeNamed() {
        String message = assertThrows(
                        IllegalArgumentException.class,
                        () -> Converter.convert(module(ENCODE, DECODE), options(null, 2, WIDTH), RUNTIME))
                .getMessage();
        assertTrue(message.contains("encode") && message.contains("decode"), message);
    }

    @Test
    void othersStayAsTheyWere() {
        ScriptModule original = module(ENCODE, DECODE);
        ScriptModule made = converted(Converter.convert(original, options("decode", 2, CODE), RUNTIME));
        compare(original, made, "decode", ramp(2, CODE));
        compare(original, made, "encode", ramp(3, WIDTH));
    }

    @Test
    void whatIsCalledFromOutsideStaysBesideForward() {
        ScriptModule original = module(
                "  def size(self: " + NET
                        + ",\n    x: Tensor) -> Tensor:\n    return torch.sum(torch.matmul(x, self.w))\n",
                ENCODE,
                DECODE,
                FORWARD);
        compare(
                original,
                converted(Converter.convert(original, options("forward", 2, WIDTH), RUNTIME)),
                "size",
                ramp(2, WIDTH));
    }

    @Test
    void severalMethodsConvertTogetherInAnyOrder() {
        ScriptModule original = module(ENCODE, DECODE, FORWARD);
        Conversion conversion = Converter.convert(
                original,
                List.of(options("encode", 2, WIDTH), options("forward", 2, WIDTH), options("decode", 2, CODE)),
                RUNTIME);
        ScriptModule made = converted(conversion);
        assertEquals(3, conversion.models().size(), conversion.report().text());
        compare(original, made, "encode", ramp(2, WIDTH));
        compare(original, made, "forward", ramp(2, WIDTH));
        compare(original, made, "decode", ramp(2, CODE));
    }

    @Test
    void shapesChooseWhatComputesAndOthersTheOriginal() {
        ScriptModule original = module(ENCODE);
        Conversion conversion =
                Converter.convert(original, List.of(options("encode", 1, WIDTH), options("encode", 4, WIDTH)), RUNTIME);
        ScriptModule made = converted(conversion);
        assertEquals(2, conversion.models().size(), conversion.report().text());
        for (int rows : new int[] {1, 3, 4}) {
            compare(original, made, "encode", ramp(rows, WIDTH));
        }
    }

    /** Arguments that may be None, and tensors in lists, tuples and dicts, tell the shapes apart too. */
    @Test
    void whateverArgumentsAreChoosesWhatComputes() {
        String encode = "  def encode(self: " + NET
                + ",\n    x: %s) -> Tensor:\n%s    return torch.tanh(torch.matmul(y, self.w))\n";
        String optional = "    if torch.__is__(m, None):\n      y = x\n    else:\n      y = torch.mul(x, "
                + "unchecked_cast(Tensor, m))\n";
        List<List<Object>> tensors = List.of(List.of(ramp(1, WIDTH)), List.of(ramp(4, WIDTH)), List.of(ramp(3, WIDTH)));
        String masked = String.format(encode, "Tensor,\n    m: Optional[Tensor]=None", optional);
        requireChosen(
                module(masked),
                List.of(
                        List.of(ramp(2, WIDTH)),
                        List.of(ramp(2, WIDTH), ramp(2, 1)),
                        List.of(ramp(2, WIDTH), ramp(1, 1)),
                        List.of(ramp(3, WIDTH))));
        requireChosen(
                module(String.format(encode, "List[Tensor]", "    y = torch.cat(x, 0)\n")),
                List.of(
                        List.of(list(ramp(1, WIDTH))),
                        List.of(list(ramp(1, WIDTH), ramp(2, WIDTH))),
                        List.of(list(ramp(1, WIDTH), ramp(3, WIDTH)))));
        requireChosen(
                module(String.format(encode, "Tuple[Tensor, int]", "    y, _0 = x\n")),
                tensors.stream()
                        .map(each -> List.<Object>of(new ScriptTuple(List.of(each.get(0), 3L), null)))
                        .toList());
        requireChosen(
                module(String.format(encode, "Dict[str, Tensor]", "    y = x[\"a\"]\n")),
                List.of(
                        List.of(dict("a", ramp(1, WIDTH))),
                        List.of(dict("a", ramp(2, WIDTH))),
                        List.of(dict("b", ramp(2, WIDTH), "a", ramp(1, WIDTH)))));
    }

    private static ScriptList list(Tensor... items) {
        return new ScriptList(Type.Basic.TENSOR, new ArrayList<>(List.of(items)));
    }

    private static ScriptDict dict(Object... items) {
        ScriptDict dict = new ScriptDict(Type.Basic.STRING, Type.Basic.TENSOR);
        for (int i = 0; i < items.length; i += 2) {
            dict.items().put(items[i], items[i + 1]);
        }
        return dict;
    }

    /** Converts for the first two, and runs all. */
    private static void requireChosen(ScriptModule original, List<List<Object>> arguments) {
        Conversion conversion = Converter.convert(
                original,
                arguments.subList(0, 2).stream()
                        .map(each -> ConversionOptions.defaults()
                                .withMethod("encode")
                                .withExample(each)
                                .withSegmentCost(new SegmentCost(64, 0, DeviceSpeed.of("start=0,bytes=1e15"))))
                        .toList(),
                RUNTIME);
        ScriptModule made = converted(conversion);
        assertEquals(2, conversion.models().size(), conversion.report().text());
        for (List<Object> each : arguments) {
            assertArrayEquals(
                    ((Tensor) original.call("encode", each.toArray())).toFloatArray(),
                    ((Tensor) made.call("encode", each.toArray())).toFloatArray(),
                    1e-5f);
        }
    }

    @Test
    void weightsOfSeveralShapesAreStoredOnce() {
        ScriptModule original = module(ENCODE);
        int one = Converter.convert(original, options("encode", 1, WIDTH), RUNTIME)
                .toBytes()
                .length;
        int two = Converter.convert(
                        original, List.of(options("encode", 1, WIDTH), options("encode", 4, WIDTH)), RUNTIME)
                .toBytes()
                .length;
        int weights = WIDTH * CODE * Float.BYTES;
        assertTrue(
                two < one + 2 * weights,
                two + " bytes (expected: less than " + one
                        + " and the weights of the second shape and of the original)");
    }

    @Test
    void theSameShapesTwiceAreAnError() {
        assertThrows(
                IllegalArgumentException.class,
                () -> Converter.convert(
                        module(ENCODE), List.of(options("encode", 1, WIDTH), options("encode", 1, WIDTH)), RUNTIME));
    }
}
