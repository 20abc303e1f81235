package org.torchnnapi.api;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.ConversionOptions;
import org.torchnnapi.converter.Converter;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.FileOrigin;

/** Goes every way on which the library asks for classes or resources by name; run under {@link WatchedClasses}. */
public final class EveryWay implements Callable<Void> {
    private static final Path DIGITS = Path.of("..", "samples", "digits");

    /** For {@link WatchedClasses}, which loads the class. */
    public EveryWay() {}

    @Override
    public Void call() throws IOException {
        Path folder = Files.createTempDirectory("every-way");
        try {
            for (String sample : List.of("digits-core.pt", "digits-none.pt", "digits-cpu.ptl")) {
                run(DIGITS.resolve(sample));
            }
            for (String written : List.of("digits-nnapi.pt", "digits-nnapi.ptl")) {
                Conversion conversion =
                        Converter.convert(DIGITS.resolve("digits-core.pt"), ConversionOptions.defaults());
                conversion.write(folder.resolve(written));
                run(folder.resolve(written));
            }
            DeviceProfile.builtIn().forEach(DeviceProfile::builtIn);
            FileOrigin.newOperators(List.of("aten::add"));
        } finally {
            for (String written : List.of("digits-nnapi.pt", "digits-nnapi.ptl")) {
                Files.deleteIfExists(folder.resolve(written));
            }
            Files.delete(folder);
        }
        return null;
    }

    private static void run(Path file) throws IOException {
        try (LoadedModel model = NnapiRuntime.create().load(file)) {
            model.call("forward", Tensor.zeros(DType.FLOAT32, 1, 3, 32, 32));
        }
    }
}
