package org.torchnnapi.converter.partition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.converter.check.SelfCheck;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.model.ByteForm;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.LevelCheck;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/**
 * Functions of {@code x: Tensor} in TorchScript that are converted; the original's and the converted module's results
 * are compared.
 */
public final class FreeUnderTest {
    public static final ScriptRuntime RUNTIME = Runtimes.standard();

    private FreeUnderTest() {}

    /** The same numbers in every run. */
    public static Tensor random(int... shape) {
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

    /** @param body statements, the last one without {@code return}; constants are {@code CONSTANTS.c0}, .. */
    public static ScriptModule module(List<Tensor> constants, String result, String... body) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < body.length; i++) {
            text.append("    ")
                    .append(i == body.length - 1 ? "return " : "")
                    .append(body[i])
                    .append('\n');
        }
        return load(new ArchiveWriter("net", 10)
                .source(
                        "code/__torch__/net.py",
                        "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                                + "  training : bool\n  def forward(self: __torch__.net.Net,\n    x: Tensor) -> "
                                + result + ":\n" + text)
                .constants(List.copyOf(constants))
                .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false))));
    }

    /** A module {@code __torch__.net.Net} of its source and what its attributes hold. */
    public static ScriptModule module(CharSequence source, PickledDict state) {
        return load(new ArchiveWriter("net", 10)
                .source("code/__torch__/net.py", source.toString())
                .data(new PickledObject("__torch__.net.Net", state)));
    }

    private static ScriptModule load(ArchiveWriter file) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            file.write(out);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return ScriptModule.of(TorchScriptArchive.of(out.toByteArray()), RUNTIME);
    }

    /** Requires that NNAPI computes all of a function of one tensor, rightly, and returns the operations. */
    public static List<String> whole(Tensor input, List<Tensor> constants, String... body) {
        ScriptModule original = module(constants, "Tensor", body);
        Conversion conversion = convert(original, input);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals());
        compare(original, conversion, input);
        List<String> operations = new ArrayList<>();
        conversion
                .model()
                .model()
                .operations()
                .forEach(operation -> operations.add(operation.type().name()));
        return operations;
    }

    /** As {@link #whole(Tensor, List, String...)}, requiring these operations. */
    public static void whole(String operations, Tensor input, List<Tensor> constants, String... body) {
        assertEquals(operations, String.join(" ", whole(input, constants, body)));
    }

    public static Conversion convert(ScriptModule original, Tensor input) {
        return Converter.convert(
                original,
                ConversionOptions.defaults().withExample(List.of(input)).withSelfCheck(false),
                RUNTIME);
    }

    /**
     * Requires that NNAPI of a level, an Android API level, computes all of a function of one tensor, rightly; returns
     * the operations.
     */
    public static List<String> wholeAt(int android, Tensor input, List<Tensor> constants, String... body) {
        ScriptModule original = module(constants, "Tensor", body);
        Conversion conversion = at(android, original, input);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertEquals(List.of(), conversion.refusals(), conversion.report().text());
        requireLevel(android, conversion);
        compare(original, conversion, input);
        List<String> operations = new ArrayList<>();
        conversion
                .model()
                .model()
                .operations()
                .forEach(operation -> operations.add(operation.type().name()));
        return operations;
    }

    public static Conversion at(int android, ScriptModule original, Tensor input) {
        return Converter.convert(
                original,
                ConversionOptions.defaults()
                        .withExample(List.of(input))
                        .withSelfCheck(false)
                        .withTarget(Target.ofAndroid(android)),
                RUNTIME);
    }

    /** Requires that the runtime's check of the level passes for each NNAPI model of the converted file. */
    public static void requireLevel(int android, Conversion conversion) {
        for (LoweredModel model : conversion.models()) {
            int[] words = SerializedModelEncoder.words(model);
            LevelCheck check = LevelCheck.of(
                    NnapiPart.requireLegal(
                            Tensor.of(words, words.length), model.model().weights()),
                    FeatureLevel.ofApiLevel(android));
            assertTrue(check.passes(), check.text());
        }
    }

    public static void compare(ScriptModule original, Conversion conversion, Tensor input) {
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), RUNTIME);
        // With the roundings that were promised, of which ByteFormsTest looks at each.
        Set<ByteForm> forms = conversion.models().stream()
                .flatMap(model -> model.model().byteForms().stream())
                .collect(Collectors.toSet());
        List<Tensor> want = SelfCheck.runOriginal(original, "forward", List.of(input), forms);
        List<Tensor> got = SelfCheck.run(converted, "forward", List.of(input));
        for (int i = 0; i < want.size(); i++) {
            assertEquals(want.get(i).dtype(), got.get(i).dtype());
        }
        SelfCheck.Result result = SelfCheck.compare(want, got, SelfCheck.Bound.REAL);
        assertTrue(result.agrees(), result.text());
    }
}
