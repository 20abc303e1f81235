package org.torchnnapi.torchscript.bytecode;

import java.util.List;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A form of files for lite interpreters.
 *
 * @param target the runtime that is to load them
 * @param version of the byte code: 4 to 8 in an archive, {@link #FLATBUFFER_VERSION} as a FlatBuffer
 */
public record LiteForm(LiteTarget target, int version) {
    /** The version that is a FlatBuffer, not an archive. */
    public static final int FLATBUFFER_VERSION = 9;

    private static final int MIN_VERSION = 4;

    /** @throws IllegalArgumentException if the runtime does not read that version */
    public LiteForm {
        if (version == FLATBUFFER_VERSION && !target.readsFlatBuffers()) {
            throw new IllegalArgumentException("target: " + target.option() + " as a flat buffer (expected: one of "
                    + List.of(LiteTarget.values()).stream()
                            .filter(LiteTarget::readsFlatBuffers)
                            .map(LiteTarget::option)
                            .collect(Streams.toList())
                    + ")");
        }
        if (version != FLATBUFFER_VERSION && (version < MIN_VERSION || version > target.bytecodeVersion())) {
            throw new IllegalArgumentException("byte code version: " + version + " for " + target.option()
                    + " (expected: " + MIN_VERSION + " to " + target.bytecodeVersion() + " in an archive)");
        }
    }

    /** The newest archive that a runtime reads. */
    public static LiteForm archive(LiteTarget target) {
        return new LiteForm(target, target.bytecodeVersion());
    }

    /** @throws IllegalArgumentException if the runtime reads no FlatBuffers; the message says which do */
    public static LiteForm flatBuffer(LiteTarget target) {
        return new LiteForm(target, FLATBUFFER_VERSION);
    }

    public boolean isFlatBuffer() {
        return version == FLATBUFFER_VERSION;
    }

    /** For people, for example {@code PyTorch 1.13, byte code version 8}. */
    public String title() {
        return target.title() + ", byte code version " + version + (isFlatBuffer() ? ", a flat buffer" : "");
    }
}
