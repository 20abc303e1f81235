package org.torchnnapi.quantizer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What was quantized and what it costs.
 *
 * @param layers those that are quantized and have a scale of their own, in order
 * @param kept layers that stay float, with the reason
 * @param inputs how many inputs the ranges are from; 0 for dynamic quantization without any
 * @param compared how many of them the float and the quantized model were compared on
 * @param outputDecibels signal to noise of the results in decibels; NaN if not compared
 * @param sameClass rows of the results whose largest element is in the same column; 0 of 0 where the results are no
 *     rows of scores
 * @param rows how many rows there were
 * @param notes further remarks
 */
public record QuantizationReport(
        List<Layer> layers,
        List<String> kept,
        int inputs,
        int compared,
        double outputDecibels,
        long sameClass,
        long rows,
        List<String> notes) {
    private static final int SHOWN = 8;

    /**
     * A quantized layer.
     *
     * @param name path of its module and operator
     * @param operator what it became, such as {@code quantized::conv2d_relu}
     * @param scale of the result; NaN where it is chosen as the model runs
     * @param zeroPoint of the result
     * @param decibels signal to noise of the result, with the noise of all before it; NaN if not compared
     * @param own the same with what it alone adds, on the quantized model's own inputs to it; NaN where it has no
     *     weights
     */
    public record Layer(String name, String operator, double scale, int zeroPoint, double decibels, double own) {}

    /** The layers that lose most, the worst first. */
    public List<Layer> worst(int count) {
        List<Layer> sorted = new ArrayList<>(
                layers.stream().filter(layer -> !Double.isNaN(layer.decibels())).collect(Streams.toList()));
        sorted.sort((a, b) -> Double.compare(a.decibels(), b.decibels()));
        return sorted.subList(0, Math.min(count, sorted.size()));
    }

    /** For people. */
    public String text() {
        StringBuilder text = new StringBuilder("quantized " + Strings.counted(layers.size(), "layer")
                + (inputs > 0 ? " on " + Strings.counted(inputs, "input") : "") + '\n');
        if (compared > 0) {
            text.append("  beside the float model on ")
                    .append(Strings.counted(compared, "input"))
                    .append(": signal to noise ")
                    .append(decibels(outputDecibels));
            text.append(rows > 0 ? ", the same largest column in " + sameClass + " of " + rows + " rows\n" : "\n");
        }
        List<Layer> worst = worst(SHOWN);
        if (!worst.isEmpty()) {
            text.append("  where most is lost (in all, by the layer itself):\n");
            for (Layer layer : worst) {
                text.append(String.format(
                        Locale.ROOT,
                        "    %9s  %9s  %s\n",
                        decibels(layer.decibels()),
                        decibels(layer.own()),
                        layer.name()));
            }
        }
        kept.forEach(reason -> text.append("  stays float: ").append(reason).append('\n'));
        notes.forEach(note -> text.append("  note: ").append(note).append('\n'));
        return Strings.stripEnd(text.toString());
    }

    /** Decibels for people. */
    public static String decibels(double value) {
        return Double.isNaN(value)
                ? "-"
                : Double.isInfinite(value) ? "exact" : String.format(Locale.ROOT, "%.1f dB", value);
    }

    /** For programs; numbers that are none are null. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("calibrationInputs", inputs);
        map.put("comparedInputs", compared);
        map.put("outputDecibels", number(outputDecibels));
        map.put("sameClass", sameClass);
        map.put("rows", rows);
        map.put(
                "layers",
                layers.stream()
                        .map(layer -> {
                            Map<String, Object> entry = new LinkedHashMap<>();
                            entry.put("name", layer.name());
                            entry.put("operator", layer.operator());
                            entry.put("scale", number(layer.scale()));
                            entry.put("zeroPoint", layer.zeroPoint());
                            entry.put("decibels", number(layer.decibels()));
                            entry.put("ownDecibels", number(layer.own()));
                            return entry;
                        })
                        .collect(Streams.toList()));
        map.put("keptFloat", kept);
        map.put("notes", notes);
        return map;
    }

    private static Double number(double value) {
        return Double.isFinite(value) ? value : null;
    }
}
