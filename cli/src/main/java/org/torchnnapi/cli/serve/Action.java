package org.torchnnapi.cli.serve;

import java.util.List;
import java.util.Locale;

/**
 * What a page may ask for: a command, and those of its options that name no file. Behind an option stand the values
 * that it takes, where its type does not say them.
 */
enum Action {
    INSPECT(false),
    EXPLAIN(true),
    PROFILE(true, "--iter", "--warmup"),
    RUN(true, "--top"),
    CONVERT(
            true,
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
            "--observer",
            "--mode",
            "--per-channel",
            "--equalize",
            "--correct-bias",
            "--dynamic",
            "--budget",
            "--keep-float",
            "--batch"),
    DIFF(true, "--bound");

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
    private final List<String> options;

    Action(boolean hasInputs, String... options) {
        this.hasInputs = hasInputs;
        this.options = List.of(options);
    }

    static Action of(String word) {
        for (Action action : values()) {
            if (action.command().equals(word)) {
                return action;
            }
        }
        throw new RefusedRequest(RefusedRequest.BAD_REQUEST, "action: none of that name (expected: one of the page's)");
    }

    String command() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it takes inputs that a model is run on. */
    boolean hasInputs() {
        return hasInputs;
    }

    List<String> options() {
        return options;
    }
}
