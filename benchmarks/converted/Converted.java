import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.CpuThreads;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/**
 * {@code THREADS FOLDER TEXT...}: converts the models of a folder, whose extra files are their inputs
 * (converter/src/test/python/deployed/make.py), and measures them in turns.
 */
public final class Converted {
    private static final int WARM_UP_RUNS = 150;
    private static final long WARM_UP_NANOS = 3_000_000_000L;
    private static final int RUNS = 80;
    private static final int LEAST_RUNS = 12;
    private static final long NANOS = 3_000_000_000L;
    private static final double NANOS_PER_MILLI = 1e6;

    private record Line(String name, double original, double converted) {
        double ratio() {
            return converted / original;
        }

        String text() {
            return String.format(Locale.ROOT, "%-48s %9.3f %9.3f %6.2f", name, original, converted, ratio());
        }
    }

    private Converted() {}

    public static void main(String[] args) throws Exception {
        CpuThreads.set(Integer.parseInt(args[0]));
        List<String> texts = Arrays.asList(args).subList(2, args.length);
        List<Path> files;
        try (Stream<Path> all = Files.list(Path.of(args[1]))) {
            files = all.filter(file -> file.toString().endsWith(".pt")
                            && (texts.isEmpty()
                                    || texts.stream()
                                            .anyMatch(file.getFileName().toString()::contains)))
                    .sorted()
                    .toList();
        }
        List<Line> lines = new ArrayList<>();
        for (Path file : files) {
            try {
                Line line = measure(file);
                lines.add(line);
                System.err.println(line.text());
            } catch (RuntimeException failure) {
                System.err.println(file.getFileName() + ": " + failure);
            }
        }
        lines.sort(Comparator.comparing(Line::ratio).reversed());
        lines.forEach(line -> System.out.println(line.text()));
    }

    private static Line measure(Path file) throws Exception {
        TorchScriptArchive archive = TorchScriptArchive.open(file);
        Object[] inputs = inputs(archive).toArray();
        Conversion conversion = Converter.convert(
                file,
                ConversionOptions.defaults().withExample(Arrays.asList(inputs)).withSelfCheck(false));
        if (!conversion.succeeded()) {
            throw new IllegalStateException("refused: " + conversion.refusals().get(0));
        }
        try (LoadedModel original = LoadedModel.of(archive, EngineOptions.defaults());
                LoadedModel converted =
                        LoadedModel.of(TorchScriptArchive.of(conversion.toBytes()), EngineOptions.defaults())) {
            List<LoadedModel> models = List.of(original, converted);
            long begin = System.nanoTime();
            for (int i = 0; i < WARM_UP_RUNS && (i < LEAST_RUNS || System.nanoTime() - begin < WARM_UP_NANOS); i++) {
                models.forEach(model -> model.call("forward", inputs));
            }
            double[] least = {Double.MAX_VALUE, Double.MAX_VALUE};
            begin = System.nanoTime();
            for (int i = 0; i < RUNS && (i < LEAST_RUNS || System.nanoTime() - begin < NANOS); i++) {
                for (int m = 0; m < least.length; m++) {
                    long start = System.nanoTime();
                    models.get(m).call("forward", inputs);
                    least[m] = Math.min(least[m], (System.nanoTime() - start) / NANOS_PER_MILLI);
                }
            }
            String name = file.getFileName().toString();
            return new Line(name.substring(0, name.lastIndexOf('.')), least[0], least[1]);
        }
    }

    private static List<Tensor> inputs(TorchScriptArchive archive) {
        Map<Integer, Tensor> inputs = new TreeMap<>();
        archive.extraFiles().forEach((entry, bytes) -> {
            String[] parts = entry.split("\\.");
            if (parts[0].equals("input")) {
                inputs.put(
                        Integer.parseInt(parts[1]),
                        tensor(parts[2], parts[3], bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN)));
            }
        });
        return List.copyOf(inputs.values());
    }

    private static Tensor tensor(String dtype, String sizes, ByteBuffer bytes) {
        int[] shape = sizes.equals("scalar")
                ? new int[0]
                : Arrays.stream(sizes.split("x")).mapToInt(Integer::parseInt).toArray();
        DType type = dtype.equals("float16") ? DType.FLOAT32 : DType.valueOf(dtype.toUpperCase(Locale.ROOT));
        Tensor made = Tensor.zeros(type, shape);
        for (int i = 0; i < made.numel(); i++) {
            switch (made.storage().array()) {
                case float[] a -> a[i] = dtype.equals("float16") ? Half.toFloat(bytes.getShort()) : bytes.getFloat();
                case double[] a -> a[i] = bytes.getDouble();
                case long[] a -> a[i] = bytes.getLong();
                case int[] a -> a[i] = bytes.getInt();
                case short[] a -> a[i] = bytes.getShort();
                case byte[] a -> a[i] = bytes.get();
                default -> throw new IllegalArgumentException(dtype + " (expected: a dtype of an input)");
            }
        }
        return made;
    }
}
