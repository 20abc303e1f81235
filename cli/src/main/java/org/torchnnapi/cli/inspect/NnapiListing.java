package org.torchnnapi.cli.inspect;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** The NNAPI model inside a converted module, disassembled. */
final class NnapiListing {
    /** Names of the memory formats that a converted module stores as numbers. */
    private static final List<String> FORMATS = List.of("contiguous", "NHWC", "vector");

    private static final int SHOWN_VALUES = 4;

    private final PickledDict module;
    private final Model model;

    private NnapiListing(PickledDict module) {
        this.module = module;
        int[] words = ((Tensor) module.get("ser_model")).contiguous().storage().intArray();
        List<ByteBuffer> weights = ((PickledList) module.get("weights"))
                .items().stream()
                        .map(weight -> ((Tensor) weight).contiguous().storage().toBytes())
                        .toList();
        this.model = new SerializedModel(words, weights).decode(Boolean.TRUE.equals(module.get("relax_f32_to_f16")));
    }

    /** Null if the module is not a converted one. */
    static NnapiListing of(PickledObject object) {
        return object.state() instanceof PickledDict attributes
                        && attributes.get("ser_model") instanceof Tensor
                        && attributes.get("weights") instanceof PickledList
                ? new NnapiListing(attributes)
                : null;
    }

    /** @param shapeCode source of the module that completes sizes at load */
    String text(String shapeCode) {
        StringBuilder text = new StringBuilder();
        text.append("  needs ")
                .append(model.featureLevelNeed().level())
                .append("; relaxed to float16: ")
                .append(model.isRelaxed())
                .append("; compilation preference: ")
                .append(module.get("compilation_preference"))
                .append('\n');
        if (module.get("runtime") != null) {
            text.append("  needs the runtime ").append(module.get("runtime")).append(": PyTorch refuses the file\n");
        }
        if (module.get("most_shapes") instanceof Number most) {
            text.append("  sizes are those of an example; the shape code computes those of each call, ")
                    .append(
                            most.intValue() == 0
                                    ? "of which the first decides"
                                    : "and what was compiled for the latest " + most + " shapes is kept")
                    .append('\n');
        }
        text.append("  inputs ")
                .append(list(model.inputs()))
                .append(' ')
                .append(formats("inp_mem_fmts"))
                .append(", outputs ")
                .append(list(model.outputs()))
                .append(' ')
                .append(formats("out_mem_fmts"))
                .append("\n\n");
        TextTable operations = new TextTable("operation", "type", "inputs", "outputs");
        for (int i = 0; i < model.operations().size(); i++) {
            Operation operation = model.operations().get(i);
            operations.row(i, operation.type(), list(operation.inputs()), list(operation.outputs()));
        }
        TextTable operands = new TextTable("operand", "type", "sizes", "scale", "zero point", "lifetime", "value");
        for (int i = 0; i < model.operands().size(); i++) {
            Operand operand = model.operand(i);
            boolean scaled = operand.descriptor().scale() != 0;
            operands.row(
                    i,
                    operand.type(),
                    operand.type().isScalar()
                            ? ""
                            : Arrays.toString(operand.descriptor().dimensions()),
                    scaled ? operand.descriptor().scale() : "",
                    scaled ? operand.descriptor().zeroPoint() : "",
                    operand.lifetime().name().toLowerCase(Locale.ROOT),
                    value(operand));
        }
        return text.append(operations)
                .append('\n')
                .append(operands)
                .append("\nshape code:\n")
                .append(shapeCode.strip())
                .append('\n')
                .toString();
    }

    private String formats(String attribute) {
        List<String> names = new ArrayList<>();
        for (Object code : ((PickledList) module.get(attribute)).items()) {
            int number = ((Number) code).intValue();
            names.add(number >= 0 && number < FORMATS.size() ? FORMATS.get(number) : "format " + number);
        }
        return "(" + String.join(", ", names) + ")";
    }

    private static String list(int[] indexes) {
        return IntStream.of(indexes).mapToObj(Integer::toString).collect(Collectors.joining(" "));
    }

    /** The first elements of a constant that is stored in place, the size of one that is a weight. */
    private static String value(Operand operand) {
        ByteBuffer bytes = operand.value();
        if (bytes == null) {
            return "";
        }
        if (operand.lifetime() == Lifetime.CONSTANT_REFERENCE) {
            return "weights, " + bytes.remaining() + " B";
        }
        List<String> shown = new ArrayList<>();
        int width = operand.type().elementBytes();
        while (bytes.remaining() >= width && shown.size() < SHOWN_VALUES) {
            shown.add(
                    switch (operand.type().element()) {
                        case FLOAT32 -> Float.toString(bytes.getFloat());
                        case INT32 -> Integer.toString(bytes.getInt());
                        case FLOAT16 -> Float.toString(Half.toFloat(bytes.getShort()));
                        case UINT16 -> Integer.toString(Short.toUnsignedInt(bytes.getShort()));
                        case INT16 -> Integer.toString(bytes.getShort());
                        case UINT8 -> Integer.toString(Byte.toUnsignedInt(bytes.get()));
                        case BOOL8 -> Boolean.toString(bytes.get() != 0);
                        default -> Integer.toString(bytes.get());
                    });
        }
        return String.join(" ", shown) + (bytes.hasRemaining() ? " .." : "");
    }
}
