package org.torchnnapi.converter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.converter.emit.ModuleEmitter;
import org.torchnnapi.converter.emit.SerializedModelEncoder;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.report.ConversionReport;
import org.torchnnapi.converter.report.Refusal;

/** The outcome of a conversion: a model to write, or the reasons why there is none. */
public final class Conversion {
    private final LoweredModel model;
    private final ModuleEmitter emitter;
    private final ConversionReport report;

    Conversion(LoweredModel model, ModuleEmitter emitter, ConversionReport report) {
        this.model = model;
        this.emitter = emitter;
        this.report = report;
    }

    /** Whether the model was converted; otherwise see {@link #refusals()}. */
    public boolean succeeded() {
        return model != null;
    }

    public ConversionReport report() {
        return report;
    }

    public List<Refusal> refusals() {
        return report.refusals();
    }

    /**
     * The NNAPI model, before it is serialized.
     *
     * @throws IllegalStateException if the model was refused
     */
    public LoweredModel model() {
        requireModel();
        return model;
    }

    /**
     * The serialized NNAPI model and the program that completes it.
     *
     * @throws IllegalStateException if the model was refused
     */
    public SerializedModelEncoder.Encoded serialized() {
        requireModel();
        return SerializedModelEncoder.encode(model);
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
        emitter.archive(dot > 0 ? name.substring(0, dot) : name).write(target);
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
            emitter.archive("model-nnapi").write(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private void requireModel() {
        if (model == null) {
            throw new IllegalStateException("conversion: refused for " + refusals().size() + " reasons (expected: a converted model)");
        }
    }
}
