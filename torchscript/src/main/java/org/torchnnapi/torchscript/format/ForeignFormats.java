package org.torchnnapi.torchscript.format;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/** Files that people have beside PyTorch's models, known by their first bytes or the names of their entries. */
public final class ForeignFormats {
    private static final String EXPORT =
            "in Python, torch.export.save(torch.export.export(model.eval(), (example,)), \"model.pt2\")";
    private static final String FROM_PYTORCH = "a model of PyTorch: where it was made from one, " + EXPORT;
    private static final String LOAD_WEIGHTS =
            "a model, not weights alone: " + "build it and load the weights, then " + EXPORT;
    private static final String PICTURE = "a model; a picture is an input: run MODEL -i PICTURE";

    /** How much of a file's front is looked at. */
    public static final int FRONT = 64;

    /** What begins so at some place, and what to do. */
    private record Mark(int at, String bytes, String name, String wanted) {}

    private static final Mark[] MARKS = {
        new Mark(4, "ET12", "an ExecuTorch program", FROM_PYTORCH),
        new Mark(4, "TFL3", "a TensorFlow Lite model", FROM_PYTORCH),
        new Mark(0, "GGUF", "weights in GGUF", LOAD_WEIGHTS),
        new Mark(0, "ggml", "weights in GGML", LOAD_WEIGHTS),
        new Mark(0, "tjgg", "weights in GGML", LOAD_WEIGHTS),
        new Mark(8, "{\"", "weights in safetensors", LOAD_WEIGHTS),
        new Mark(0, "\u0089HDF\r\n\u001a\n", "an HDF5 file, as Keras writes models", FROM_PYTORCH),
        new Mark(0, "\u0093NUMPY", "an array of NumPy", "a model; an array is an input: run MODEL -i ARRAY.npy"),
        new Mark(0, "\u0089PNG", "a PNG picture", PICTURE),
        new Mark(0, "\u00ff\u00d8\u00ff", "a JPEG picture", PICTURE),
        new Mark(0, "GIF8", "a GIF picture", PICTURE),
        new Mark(8, "WEBP", "a WebP picture", PICTURE),
        new Mark(0, "\u001f\u008b", "a file that gzip compressed", "the model in it: gunzip it first"),
        new Mark(0, "version https://git-lfs", "a pointer of Git LFS, not the file", "the file: git lfs pull"),
        new Mark(0, "<!DOCTYPE html", "a web page", "the file itself: it was not what was fetched"),
        new Mark(0, "<html", "a web page", "the file itself: it was not what was fetched"),
    };

    private static final Map<String, String[]> ENTRIES = new LinkedHashMap<>();

    static {
        ENTRIES.put(
                "MAR-INF/MANIFEST.json", new String[] {"an archive of TorchServe", "the model in it: unzip it first"});
        ENTRIES.put("model.weights.h5", new String[] {"a Keras model", FROM_PYTORCH});
        ENTRIES.put("AndroidManifest.xml", new String[] {"an Android app", "the model in its assets"});
        ENTRIES.put("Manifest.json", new String[] {"a package of Core ML", FROM_PYTORCH});
        ENTRIES.put("[Content_Types].xml", new String[] {"an Office document", "a model of PyTorch"});
    }

    private ForeignFormats() {}

    /**
     * What a file is that is no zip file.
     *
     * @param front its first bytes, at most {@link #FRONT} of them, from the buffer's position on
     * @return what it is and what to do, for an error message; null if that is not known
     */
    public static String ofBytes(ByteBuffer front) {
        for (Mark mark : MARKS) {
            if (begins(front, mark)) {
                return told(mark.name(), mark.wanted());
            }
        }
        return isOnnx(front) ? told("an ONNX model", FROM_PYTORCH) : null;
    }

    /** As {@link #ofBytes}, of a zip file, by the names of its entries. */
    public static String ofEntries(Collection<String> names) {
        for (Map.Entry<String, String[]> entry : ENTRIES.entrySet()) {
            if (names.contains(entry.getKey())) {
                return told(entry.getValue()[0], entry.getValue()[1]);
            }
        }
        boolean arrays = !names.isEmpty() && names.stream().allMatch(name -> name.endsWith(".npy"));
        return arrays ? told("arrays of NumPy", "a model; arrays are inputs: run MODEL -i ARRAYS.npz") : null;
    }

    private static String told(String name, String wanted) {
        return "file: " + name + " (expected: " + wanted + ")";
    }

    private static boolean begins(ByteBuffer front, Mark mark) {
        if (front.remaining() < mark.at() + mark.bytes().length()) {
            return false;
        }
        for (int i = 0; i < mark.bytes().length(); i++) {
            if ((front.get(front.position() + mark.at() + i) & 0xFF)
                    != mark.bytes().charAt(i)) {
                return false;
            }
        }
        return true;
    }

    /** A message of protocol buffers whose first field is ONNX's version, and whose second is text or the graph. */
    private static boolean isOnnx(ByteBuffer front) {
        if (front.remaining() < 4) {
            return false;
        }
        int at = front.position();
        int version = front.get(at + 1);
        int next = front.get(at + 2);
        return front.get(at) == 0x08 && version >= 1 && version <= 30 && (next == 0x12 || next == 0x3A || next == 0x42);
    }
}
