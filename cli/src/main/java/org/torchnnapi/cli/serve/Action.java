package org.torchnnapi.cli.serve;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.torchnnapi.torchscript.bytecode.LiteTarget;

/**
 * What a page may ask for: a command, the kinds of model that it writes, and those of its options that name no file.
 * Behind an option stand the values that it takes, where its type does not say them.
 */
enum Action {
    INSPECT(false, Written.NONE),
    EXPLAIN(true, Written.NONE),
    PROFILE(true, Written.NONE, "--iter", "--warmup"),
    RUN(true, Written.NONE, "--top"),
    CONVERT(
            true,
            new Written("-nnapi", "pt", "ptl", "tflite"),
            "--mode",
            "--android=27|28|29|30|31",
            "--runtime=pytorch|torch-nnapi",
            "--nhwc",
            "--exact",
            "--relaxed",
            "--preference",
            "--max-segments",
            "--with-cpu-fallback",
            "--lines"),
    QUANTIZE(
            false,
            new Written("-quantized", "pt", "ptl"),
            "--observer",
            "--mode",
            "--per-channel",
            "--equalize",
            "--correct-bias",
            "--dynamic",
            "--budget",
            "--keep-float",
            "--batch"),
    OPTIMIZE(false, new Written("-mobile", "pt", "ptl"), Lite.TARGET, Lite.FLATBUFFER),
    SAVE(false, new Written("-saved", "pt", "ptl", "pt2"), Lite.TARGET, Lite.FLATBUFFER),
    DIFF(true, Written.NONE, "--bound");

    /**
     * The model that a command writes.
     *
     * @param added to the name of the model that it is made of
     * @param endings without their dots; none where no model is written
     */
    record Written(String added, List<String> endings) {
        static final Written NONE = new Written("");

        Written(String added, String... endings) {
            this(added, List.of(endings));
        }
    }

    /** Options of files for the lite interpreter. */
    private static final class Lite {
        static final String TARGET = "--target="
                + Arrays.stream(LiteTarget.values()).map(LiteTarget::option).collect(Collectors.joining("|"));
        static final String FLATBUFFER = "--flatbuffer";
    }

    /** How pictures become inputs, of whichever command reads any. */
    static final List<String> PICTURES = List.of(
            "--image-size",
            "--resize=",
            "--crop=",
            "--letterbox=",
            "--interpolation=nearest|bilinear|bicubic|lanczos|box|hamming",
            "--scale=",
            "--mean=",
            "--std=",
            "--layout=nchw|nhwc|chw|hwc",
            "--bgr",
            "--upright");

    private final boolean hasInputs;
    private final Written written;
    private final List<String> options;

    Action(boolean hasInputs, Written written, String... options) {
        this.hasInputs = hasInputs;
        this.written = written;
        this.options = List.of(options);
    }

    static Action of(String word) {
        for (Action action : values()) {
            if (action.command().equals(word)) {
                return action;
            }
        }
        throw HttpError.badRequest("action: none of that name (expected: one of the page's)");
    }

    String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it always takes inputs that a model is run on. */
    boolean hasInputs() {
        return hasInputs;
    }

    Written written() {
        return written;
    }

    List<String> options() {
        return options;
    }
}
