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
import org.torchnnapi.torchscript.pickle.PickledObject;

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
    public Map<String, Tensor> parts(String tensor) {
        return TensorParts.of(value(tensor));
    }

    @Override
    public Tensor find(String tensor) {
        Object value = value(tensor);
        if (value != null && !(value instanceof Tensor)) {
            throw new ArchiveException(name + ": " + tensor + " is an object of a class (expected: a tensor)");
        }
        return (Tensor) value;
    }

    private Object value(String tensor) {
        if (values == null) {
            values = new HashMap<>();
            if (bytes.hasRemaining()) {
                if (!(named() instanceof PickledDict dict)) {
                    throw new ArchiveException(name + ": no dictionary (expected: tensors by name)");
                }
                for (Map.Entry<Object, Object> entry : dict.entries()) {
                    values.put(String.valueOf(entry.getKey()), entry.getValue());
                }
            }
        }
        return values.get(tensor);
    }

    /** What the file holds. */
    Object whole() {
        return whole((data, zip, folder) -> PickleReader.read(
                name, data, (dtype, key, length) -> storage(zip, folder + key, dtype, length), zip.budget(), true));
    }

    /** The same, where objects of other classes are {@link PickledObject}s of their names. */
    Object named() {
        return whole((data, zip, folder) -> PickleReader.readNamed(
                name, data, (dtype, key, length) -> storage(zip, folder + key, dtype, length), zip.budget()));
    }

    /** Reads a pickle whose storages are in a folder. */
    private interface Reading {
        Object of(ByteBuffer data, ZipReader zip, String folder);
    }

    private Object whole(Reading reading) {
        ZipReader zip = ZipReader.of(bytes, budget);
        for (String entry : zip.entries().keySet()) {
            if (entry.endsWith(DATA) && entry.indexOf('/') == entry.length() - DATA.length()) {
                String folder = entry.substring(0, entry.length() - DATA.length());
                return reading.of(zip.read(entry), zip, folder + "/data/");
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
