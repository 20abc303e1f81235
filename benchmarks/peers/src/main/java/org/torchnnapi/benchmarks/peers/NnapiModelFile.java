package org.torchnnapi.benchmarks.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** Finds the NNAPI model in a converted TorchScript file. */
final class NnapiModelFile {
    private NnapiModelFile() {}

    /** @throws IllegalArgumentException if no part of the file is an NNAPI module */
    static Model read(Path file) throws IOException {
        PickledDict module = find(TorchScriptArchive.open(file).data());
        if (module == null) {
            throw new IllegalArgumentException(
                    file + ": no module with a serialized NNAPI model (expected: a converted file)");
        }
        int[] words = ((Tensor) module.get("ser_model")).contiguous().storage().intArray();
        List<ByteBuffer> weights = ((PickledList) module.get("weights"))
                .items().stream()
                        .map(weight -> ((Tensor) weight).contiguous().storage().toBytes())
                        .toList();
        return new SerializedModel(words, weights).decode(false);
    }

    private static PickledDict find(Object tree) {
        if (!(tree instanceof PickledObject object) || !(object.state() instanceof PickledDict attributes)) {
            return null;
        }
        if (attributes.get("ser_model") instanceof Tensor) {
            return attributes;
        }
        return attributes.entries().stream()
                .map(entry -> find(entry.getValue()))
                .filter(found -> found != null)
                .findFirst()
                .orElse(null);
    }
}
