package org.torchnnapi.converter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partition.WholeModel;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.torchscript.archive.ArchiveWriter;

/** The outcome of a conversion: a module to write, or the reasons why there is none. */
public final class Conversion {
    private final List<LoweredModel> models;
    private final Function<String, ArchiveWriter> archive;
    private final ConversionReport report;
    private final WholeModel whole;

    Conversion(List<LoweredModel> models, Function<String, ArchiveWriter> archive, ConversionReport report) {
        this(models, archive, report, null);
    }

    /**
     * @param archive makes the archive of a top folder; null if the model was refused
     * @param whole null unless it is known what the model's inputs and outputs are called
     */
    Conversion(
            List<LoweredModel> models,
            Function<String, ArchiveWriter> archive,
            ConversionReport report,
            WholeModel whole) {
        this.models = List.copyOf(models);
        this.archive = archive;
        this.report = report;
        this.whole = whole;
    }

    /** Whether the model was converted; otherwise see {@link #refusals()}. */
    public boolean succeeded() {
        return archive != null;
    }

    /** What was converted into what, and notes; there is one of refused models too. */
    public ConversionReport report() {
        return report;
    }

    /** Every reason against the conversion, or against converting some operators; empty if there is none. */
    public List<Refusal> refusals() {
        return report.refusals();
    }

    /**
     * The model for other formats than PyTorch's; null if NNAPI computes only parts of it, or the model was refused.
     */
    public WholeModel whole() {
        return whole;
    }

    /** The NNAPI models, before they are serialized; empty if the model was refused. */
    public List<LoweredModel> models() {
        return models;
    }

    /**
     * The only NNAPI model, before it is serialized.
     *
     * @throws IllegalStateException if the model was refused, or has several
     */
    public LoweredModel model() {
        requireModel();
        if (models.size() != 1) {
            throw new IllegalStateException("conversion: " + models.size() + " NNAPI models (expected: one)");
        }
        return models.get(0);
    }

    /**
     * The only NNAPI model as serialized, and the program that completes it.
     *
     * @throws IllegalStateException if the model was refused, or has several
     */
    public int[] serialized() {
        return SerializedModelEncoder.words(model());
    }

    /**
     * Writes the converted module; the file is either whole or as it was before.
     *
     * @throws IllegalStateException if the model was refused
     */
    public void write(Path target) throws IOException {
        requireModel();
        String name = target.getFileName().toString();
        int dot = name.lastIndexOf('.');
        archive.apply(dot > 0 ? name.substring(0, dot) : name).write(target);
    }

    /**
     * The same with further files beside the model's records, in the place of those of their names.
     *
     * @param files by name, each from the position to the limit
     * @throws IllegalStateException if the model was refused
     */
    public Conversion withExtraFiles(Map<String, ByteBuffer> files) {
        requireModel();
        return new Conversion(
                models,
                folder -> {
                    ArchiveWriter writer = archive.apply(folder);
                    files.forEach(writer::extra);
                    return writer;
                },
                report,
                whole);
    }

    /**
     * The converted module as bytes of a file.
     *
     * @throws IllegalStateException if the model was refused
     */
    public byte[] toBytes() {
        requireModel();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            archive.apply("model-nnapi").write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void requireModel() {
        if (!succeeded()) {
            throw new IllegalStateException(
                    "conversion: refused for " + refusals().size() + " reasons (expected: a converted model)");
        }
    }
}
