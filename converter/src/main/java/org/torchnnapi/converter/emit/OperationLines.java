package org.torchnnapi.converter.emit;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Where the operations of a converted file's NNAPI models come from: an extra file of lines, each with the model's
 * number, the operation, and, behind tabs, module, line of Python and its text. PyTorch reads past it.
 */
public final class OperationLines {
    /** Name of the extra file. */
    public static final String NAME = "nnapi-lines.tsv";

    private static final int FIELDS = 5;

    /**
     * One operation's origin.
     *
     * @param operation NNAPI's name of it
     * @param module path of the module in the original; may be empty
     * @param place file and line of Python, or of the archive's code
     * @param text of that line; may be empty
     */
    public record Line(String operation, String module, String place, String text) {}

    private OperationLines() {}

    /** The extra file for models in their order; none where no origin is known. */
    public static Map<String, ByteBuffer> write(List<LoweredModel> models) {
        StringBuilder text = new StringBuilder();
        boolean known = false;
        for (int m = 0; m < models.size(); m++) {
            ModelAssembler model = models.get(m).model();
            for (int i = 0; i < model.operations().size(); i++) {
                SourceRange place = model.places().get(i);
                SourceRange.Python python = place.python();
                known |= place.file() != null;
                text.append(m)
                        .append('\t')
                        .append(model.operations().get(i).type())
                        .append('\t')
                        .append(field(place.module()))
                        .append('\t')
                        .append(place.file() == null ? "" : field(place.toString()))
                        .append('\t')
                        .append(python == null ? "" : field(python.text()))
                        .append('\n');
            }
        }
        return known ? Map.of(NAME, ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8))) : Map.of();
    }

    private static String field(String value) {
        return value == null ? "" : value.replaceAll("[\\t\\r\\n]+", " ").trim();
    }

    /**
     * What an archive's extra files tell: for each model the origins of its operations, in their order. Lines of
     * another form are left out.
     */
    public static List<List<Line>> read(Map<String, ByteBuffer> extraFiles) {
        ByteBuffer bytes = extraFiles.get(NAME);
        if (bytes == null) {
            return List.of();
        }
        Map<String, List<Line>> models = new TreeMap<>();
        for (String line :
                StandardCharsets.UTF_8.decode(bytes.duplicate()).toString().split("\n")) {
            String[] fields = line.split("\t", -1);
            if (fields.length == FIELDS) {
                models.computeIfAbsent(fields[0], m -> new ArrayList<>())
                        .add(new Line(fields[1], fields[2], fields[3], fields[4]));
            }
        }
        return Collections.unmodifiableList(new ArrayList<>(models.values()));
    }
}
