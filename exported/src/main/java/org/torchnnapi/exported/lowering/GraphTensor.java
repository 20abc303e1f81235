package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.torchnnapi.exported.ElementTypes;
import org.torchnnapi.operators.shape.Formula;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

/** A tensor of a program that is being made: what it is called, and how it lies in memory in the example. */
final class GraphTensor {
    /** Where a tensor comes from. */
    enum Origin {
        PARAMETER,
        BUFFER,
        CONSTANT,
        ARGUMENT,
        RESULT
    }

    private final Origin origin;
    /** What the module calls it; a name for its place where the module does not. */
    private final String path;
    /** Null but of what the file has. */
    private final Tensor stored;

    private final boolean lifted;
    private final DType dtype;
    private final int[] sizes;
    private final int[] strides;
    private final int offset;
    private final Map<String, Object> meta;
    private String name;

    private GraphTensor(Origin origin, String path, Tensor tensor, boolean keeps, boolean lifted) {
        this.origin = origin;
        this.path = path;
        this.lifted = lifted;
        this.stored = keeps ? tensor : null;
        this.dtype = tensor.dtype();
        this.sizes = tensor.sizes();
        this.strides = tensor.strides();
        this.offset = tensor.offset();
        this.meta = meta(tensor, origin == Origin.PARAMETER);
    }

    /** A tensor that the file has. */
    static GraphTensor stored(Origin origin, String path, Tensor tensor) {
        return new GraphTensor(origin, path, tensor, true, false);
    }

    /** A tensor that the program is given or computes. */
    static GraphTensor of(Origin origin, String path, Tensor tensor) {
        return new GraphTensor(origin, path, tensor, false, false);
    }

    /** A constant that the code makes. */
    static GraphTensor lifted(String path, Tensor tensor) {
        return new GraphTensor(Origin.CONSTANT, path, tensor, true, true);
    }

    /** A result of this tensor's type. */
    GraphTensor like(int... ofSizes) {
        return of(Origin.RESULT, "", Tensor.zeros(plain(dtype), ofSizes));
    }

    /** How a tensor lies; of a quantized one, as its integers do. */
    static Map<String, Object> meta(Tensor tensor, boolean isParameter) {
        return JsonText.object(
                "dtype",
                ElementTypes.number(plain(tensor.dtype())),
                "sizes",
                sizes(tensor.sizes()),
                "requires_grad",
                isParameter && tensor.requiresGrad(),
                "device",
                JsonText.object("type", "cpu", "index", null),
                "strides",
                sizes(tensor.strides()),
                "storage_offset",
                JsonText.object("as_int", tensor.offset()),
                "layout",
                ElementTypes.strided());
    }

    /** The type of the integers of a quantized type; any other itself. */
    static DType plain(DType type) {
        return switch (type) {
            case QUINT8 -> DType.UINT8;
            case QINT8 -> DType.INT8;
            case QINT32 -> DType.INT32;
            default -> type;
        };
    }

    private static List<Object> sizes(int[] sizes) {
        List<Object> shown = new ArrayList<>();
        for (int size : sizes) {
            shown.add(JsonText.object("as_int", size));
        }
        return shown;
    }

    /** Writes sizes that are left open as formulas of them. */
    void open(List<Formula> openSizes, List<Formula> openStrides, List<Formula> openOffset, SymbolValues symbols) {
        meta.put("sizes", texts(openSizes, symbols));
        meta.put("strides", texts(openStrides, symbols));
        meta.put("storage_offset", texts(openOffset, symbols).get(0));
    }

    private static List<Object> texts(List<Formula> formulas, SymbolValues symbols) {
        List<Object> texts = new ArrayList<>();
        formulas.forEach(formula -> texts.add(SizeText.size(formula, symbols)));
        return texts;
    }

    DType dtype() {
        return dtype;
    }

    long[] sizes() {
        return Arrays.stream(sizes).asLongStream().toArray();
    }

    long[] strides() {
        return Arrays.stream(strides).asLongStream().toArray();
    }

    long offset() {
        return offset;
    }

    /** Whether the code makes it, and no module has it. */
    boolean isLifted() {
        return lifted;
    }

    Origin origin() {
        return origin;
    }

    String path() {
        return path;
    }

    Tensor stored() {
        return stored;
    }

    Map<String, Object> meta() {
        return meta;
    }

    String name() {
        return name;
    }

    void name(String given) {
        name = given;
    }

    Map<String, Object> named() {
        return JsonText.object("name", name);
    }

    Map<String, Object> argument() {
        return JsonText.object("as_tensor", named());
    }
}
