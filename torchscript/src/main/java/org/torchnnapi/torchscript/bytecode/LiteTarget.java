package org.torchnnapi.torchscript.bytecode;

import java.util.List;
import org.torchnnapi.tensor.platform.Streams;

/** A published runtime with a lite interpreter that files are written for. */
public enum LiteTarget {
    PYTORCH_1_8("pytorch-1.8", 5, 5, 0),
    PYTORCH_1_9("pytorch-1.9", 5, 5, 1),
    PYTORCH_1_10("pytorch-1.10", 7, 5, 2),
    /** Of which no runtime is on Maven Central: it has what those before and after it have. */
    PYTORCH_1_11("pytorch-1.11", 7, 9, 2, 3),
    PYTORCH_1_12("pytorch-1.12", 8, 10, 3),
    PYTORCH_1_13("pytorch-1.13", 8, 10, 4);

    private static final String MKL_DNN = "mkldnn";
    /** Operators of this library are published beside the runtime. */
    private static final String VISION = "torchvision::";

    private final String option;
    private final int bytecodeVersion;
    private final int fileFormat;
    private final int[] runtimes;

    LiteTarget(String option, int bytecodeVersion, int fileFormat, int... runtimes) {
        this.option = option;
        this.bytecodeVersion = bytecodeVersion;
        this.fileFormat = fileFormat;
        this.runtimes = runtimes;
    }

    /** The name by which a command calls it, for example {@code pytorch-1.9}. */
    public String option() {
        return option;
    }

    /** For people, for example {@code PyTorch 1.9}. */
    public String title() {
        return "PyTorch " + option.substring(option.indexOf('-') + 1);
    }

    /**
     * Whether builds of that release with FlatBuffers, as Python's are, read those that are written here. Of the
     * libraries on Maven Central none is built with them.
     */
    boolean readsFlatBuffers() {
        return this == PYTORCH_1_13;
    }

    /** The newest version of byte code in an archive that it reads. */
    public int bytecodeVersion() {
        return bytecodeVersion;
    }

    /** The newest file format that it reads. */
    public int fileFormat() {
        return fileFormat;
    }

    /**
     * Whether it has an operator, by full name such as {@code aten::add.Tensor}. Those of MKL-DNN are declared by
     * libraries for phones, which are built without it.
     */
    public boolean has(String operator) {
        if (operator.contains(MKL_DNN)) {
            return false;
        }
        for (int runtime : runtimes) {
            if (!operator.startsWith(VISION) && !LiteOperators.has(runtime, operator)) {
                return false;
            }
        }
        return true;
    }

    /** @throws IllegalArgumentException if there is no target of that name */
    public static LiteTarget of(String option) {
        for (LiteTarget target : values()) {
            if (target.option.equals(option)) {
                return target;
            }
        }
        throw new IllegalArgumentException("target: " + option + " (expected: one of "
                + List.of(values()).stream().map(LiteTarget::option).collect(Streams.toList()) + ")");
    }
}
