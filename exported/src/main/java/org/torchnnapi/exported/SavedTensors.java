package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.pickle.PickleReader;
import org.torchnnapi.torchscript.pickle.PickledDict;

/** A file of torch.save inside of an archive: a dictionary of tensors by name, mostly. Nothing in it is run. */
final class SavedTensors implements TensorTable {
    private static final String DATA = "/data.pkl";

    private final String name;
    private final ByteBuffer bytes;
    private final ReadBudget budget;
    private final Map<String, Storage> storages = new HashMap<>();
    private Map<String, Object> values;

    /**
     * @param name for error messages
     * @param budget of the archive
     */
    SavedTensors(String name, ByteBuffer bytes, ReadBudget budget) {
        this.name = name;
        this.bytes = bytes;
        this.budget = budget;
    }

    @Override
    public Tensor find(String tensor) {
        if (values == null) {
            values = new HashMap<>();
            if (bytes.hasRemaining()) {
                if (!(whole() instanceof PickledDict dict)) {
                    throw new ArchiveException(name + ": no dictionary (expected: tensors by name)");
                }
                for (Map.Entry<Object, Object> entry : dict.entries()) {
                    values.put(String.valueOf(entry.getKey()), entry.getValue());
                }
            }
        }
        Object value = values.get(tensor);
        if (value != null && !(value instanceof Tensor)) {
            throw new ArchiveException(name + ": " + tensor + " is an object of a class (expected: a tensor)");
        }
        return (Tensor) value;
    }

    /** What the file holds. */
    Object whole() {
        ZipReader zip = ZipReader.of(bytes, budget);
        for (String entry : zip.entries().keySet()) {
            if (entry.endsWith(DATA) && entry.indexOf('/') == entry.length() - DATA.length()) {
                String folder = entry.substring(0, entry.length() - DATA.length());
                return PickleReader.read(
                        name,
                        zip.read(entry),
                        (dtype, key, length) -> storage(zip, folder + "/data/" + key, dtype, length),
                        zip.budget(),
                        true);
            }
        }
        throw new ArchiveException(name + ": no data.pkl (expected: a file of torch.save)");
    }

    private Storage storage(ZipReader zip, String entry, DType dtype, long length) {
        Storage known = storages.get(entry);
        if (known != null && known.dtype() == dtype && known.length() == length) {
            return known;
        }
        ByteBuffer payload = zip.read(entry);
        if (length < 0 || payload.remaining() != length * dtype.bytes()) {
            throw new ArchiveException(name + ": " + entry + " has " + payload.remaining() + " bytes (expected: "
                    + length + " elements of " + dtype.torchName() + ")");
        }
        Storage made = Storage.ofBytes(dtype, payload);
        storages.putIfAbsent(entry, made);
        return made;
    }
}
