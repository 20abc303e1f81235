package org.torchnnapi.tflite;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.javacpp.Pointer;
import org.bytedeco.tensorflowlite.BuiltinOpResolver;
import org.bytedeco.tensorflowlite.FlatBufferModel;
import org.bytedeco.tensorflowlite.Interpreter;
import org.bytedeco.tensorflowlite.InterpreterBuilder;
import org.bytedeco.tensorflowlite.global.tensorflowlite;
import org.junit.jupiter.api.Assumptions;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/**
 * Functions of {@code x} in TorchScript that become files of TensorFlow Lite, which runs them; results are compared
 * with the original's.
 */
final class TfliteUnderTest {
    static final ScriptRuntime RUNTIME = Runtimes.standard();
    private static final double TOLERANCE = 2e-5;

    private final List<Tensor> constants = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();

    /** The same numbers in every run. */
    static Tensor random(int... shape) {
        int count = 1;
        for (int size : shape) {
            count *= size;
        }
        Random random = new Random(count);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return Tensor.of(values, shape);
    }

    /** Weights that keep the size of what passes. */
    String constant(int... shape) {
        Tensor values = random(shape);
        float[] array = values.storage().floatArray();
        for (int i = 0; i < array.length; i++) {
            array[i] /= (float) Math.sqrt(shape.length == 1 ? 4 : array.length / shape[0]);
        }
        constants.add(values);
        return "CONSTANTS.c" + (constants.size() - 1);
    }

    /** A statement; $ is the value of the one before. */
    TfliteUnderTest then(String expression) {
        lines.add("x" + (lines.size() + 1) + " = " + expression.replace("$", last()));
        return this;
    }

    String last() {
        return lines.isEmpty() ? "x" : "x" + lines.size();
    }

    TfliteUnderTest conv(int in, int out, int kernel, int stride, int groups) {
        int pad = kernel / 2;
        return then("torch.conv2d($, " + constant(out, in / groups, kernel, kernel) + ", " + constant(out) + ", ["
                + stride + ", " + stride + "], [" + pad + ", " + pad + "], [1, 1], " + groups + ")");
    }

    ScriptModule module(String result, String returned) {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append("    ").append(line).append('\n'));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            new ArchiveWriter("net", 10)
                    .source(
                            "code/__torch__/net.py",
                            "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                                    + "  training : bool\n  def forward(self: __torch__.net.Net,\n    x: Tensor) -> "
                                    + result + ":\n" + text + "    return " + returned + "\n")
                    .constants(List.copyOf(constants))
                    .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                    .write(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
    }

    static Conversion convert(ScriptModule module, Tensor input) {
        Conversion conversion = Converter.convert(
                module, ConversionOptions.defaults().withExample(List.of(input)).withTarget(Target.DEFAULT), RUNTIME);
        assertTrue(conversion.succeeded(), conversion.report().text());
        return conversion;
    }

    /** Requires that TensorFlow Lite computes what the original does of one tensor. */
    void agrees(Tensor input) {
        ScriptModule module = module("Tensor", last());
        Conversion conversion = convert(module, input);
        Tensor want = SelfCheck.run(module, "forward", List.of(input)).get(0);
        assertAgree(want, run(TfliteExport.write(conversion), List.of(input)).get(0));
    }

    static void assertAgree(Tensor want, Tensor got) {
        assertEquals(want.numel(), got.numel());
        Tensor expected =
                want.rank() == 4 && !Arrays.equals(want.sizes(), got.sizes()) ? want.permute(0, 2, 3, 1) : want;
        assertArrayEquals(expected.sizes(), got.sizes());
        double largest = 1e-3;
        for (int i = 0; i < want.numel(); i++) {
            largest = Math.max(largest, Math.abs(expected.getDouble(i)));
        }
        boolean quantized = want.quantization() != null;
        double bound = quantized ? 1 : TOLERANCE * largest;
        for (int i = 0; i < want.numel(); i++) {
            assertEquals(expected.getDouble(i), got.getDouble(i), bound, "element " + i);
        }
    }

    /**
     * Runs a file in TensorFlow Lite; images are given as N, C, H, W and are taken as N, H, W, C where the file wants
     * that. Signed bytes come back as the unsigned ones that they stand for.
     */
    static List<Tensor> run(byte[] file, List<Tensor> inputs) {
        try {
            tensorflowlite.TfLiteVersion();
        } catch (LinkageError e) {
            Assumptions.abort("TensorFlow Lite has no native library here: " + e.getMessage());
        }
        BytePointer memory = new BytePointer(file);
        FlatBufferModel model = FlatBufferModel.VerifyAndBuildFromBuffer(memory, file.length);
        assertTrue(model != null && !model.isNull(), "not a flat buffer of TensorFlow Lite");
        try (BuiltinOpResolver resolver = new BuiltinOpResolver();
                InterpreterBuilder builder = new InterpreterBuilder(model, resolver);
                Interpreter interpreter = new Interpreter((Pointer) null)) {
            builder.SetNumThreads(1);
            assertEquals(tensorflowlite.kTfLiteOk, builder.apply(interpreter));
            assertEquals(tensorflowlite.kTfLiteOk, interpreter.AllocateTensors());
            for (int i = 0; i < inputs.size(); i++) {
                give(interpreter, i, inputs.get(i));
            }
            assertEquals(tensorflowlite.kTfLiteOk, interpreter.Invoke());
            List<Tensor> out = new ArrayList<>();
            for (int i = 0; i < interpreter.outputs().limit(); i++) {
                out.add(take(interpreter, i));
            }
            return out;
        } finally {
            model.close();
            memory.close();
        }
    }

    private static int[] shape(org.bytedeco.tensorflowlite.TfLiteTensor tensor) {
        int[] shape = new int[tensor.dims().size()];
        for (int d = 0; d < shape.length; d++) {
            shape[d] = tensor.dims().data(d);
        }
        return shape;
    }

    private static void give(Interpreter interpreter, int index, Tensor given) {
        int[] shape = shape(interpreter.input_tensor(index));
        Tensor input = given.rank() == 4 && !Arrays.equals(shape, given.sizes()) ? given.permute(0, 2, 3, 1) : given;
        assertArrayEquals(shape, input.sizes());
        if (given.dtype() == DType.FLOAT32) {
            interpreter.typed_input_tensor_float(index).put(input.contiguous().toFloatArray());
        } else if (given.dtype() == DType.QUINT8) {
            byte[] bytes = new byte[(int) given.numel()];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) ((int) input.getDouble(i) - 128);
            }
            interpreter.typed_input_tensor_byte(index).put(bytes);
        } else {
            throw new AssertionError("no way to give " + given);
        }
    }

    private static Tensor take(Interpreter interpreter, int index) {
        org.bytedeco.tensorflowlite.TfLiteTensor tensor = interpreter.output_tensor(index);
        int[] shape = shape(tensor);
        if (tensor.type() == tensorflowlite.kTfLiteFloat32) {
            float[] values = new float[(int) tensor.bytes() / Float.BYTES];
            interpreter.typed_output_tensor_float(index).get(values);
            return Tensor.of(values, shape);
        }
        if (tensor.type() == tensorflowlite.kTfLiteInt32) {
            int[] values = new int[(int) tensor.bytes() / Integer.BYTES];
            interpreter.typed_output_tensor_int(index).get(values);
            return Tensor.of(values, shape);
        }
        byte[] values = new byte[(int) tensor.bytes()];
        interpreter.typed_output_tensor_byte(index).get(values);
        for (int i = 0; i < values.length; i++) {
            values[i] ^= (byte) 0x80;
        }
        return Tensor.of(DType.QUINT8, values, shape)
                .withQuantization(new Quantization.PerTensor(
                        tensor.params().scale(), tensor.params().zero_point() + 128));
    }
}
