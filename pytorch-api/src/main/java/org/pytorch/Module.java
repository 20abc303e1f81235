package org.pytorch;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Paths;
import java.util.Map;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.torchscript.ModuleSource;

/**
 * A loaded model, of a {@code .pt}, {@code .ptl} or {@code .pt2} file, converted for NNAPI or not. It is in evaluation
 * mode. Calls on one module run one after the other; several modules run side by side.
 */
public class Module {
    private INativePeer peer;

    Module(INativePeer peer) {
        this.peer = peer;
    }

    /**
     * Loads a file.
     *
     * @param extraFiles keys are names of extra files; each value becomes that file's text, or "" if there is none. May
     *     be null
     * @throws IllegalArgumentException if the file cannot be read or is no sound model
     */
    public static Module load(String modelPath, Map<String, String> extraFiles, Device device) {
        return load(modelPath, extraFiles, device, false);
    }

    /** @param lite whether byte code runs where the file has any; otherwise the source does where the file has some */
    static Module load(String modelPath, Map<String, String> extraFiles, Device device, boolean lite) {
        if (modelPath == null) {
            throw new IllegalArgumentException("model: null (expected: the path of a .pt, .ptl or .pt2 file)");
        }
        ModuleSource source;
        try {
            source = ModuleSource.open(Paths.get(modelPath));
        } catch (ClosedByInterruptException e) {
            throw new IllegalArgumentException(
                    "model " + modelPath
                            + ": the thread was interrupted while it was read (expected: a thread that is not)",
                    e);
        } catch (IOException e) {
            throw new IllegalArgumentException("model: " + modelPath + " (expected: a readable file; " + e + ")", e);
        } catch (RuntimeException e) {
            throw EnginePeer.unreadable(modelPath, e);
        }
        return new Module(
                new EnginePeer(lite ? LiteFiles.byteCode(source, modelPath) : source, modelPath, extraFiles, device));
    }

    /** Loads a file to run on the CPU; see {@link #load(String, Map, Device)}. */
    public static Module load(String modelPath) {
        return load(modelPath, null, Device.CPU);
    }

    /** Loads the content of a model file; the array must not change while the module is in use. */
    public static Module load(byte[] model) {
        return load(model == null ? null : ByteBuffer.wrap(model), null, Device.CPU);
    }

    /**
     * Loads the content of a model file from a buffer's position to its limit; it must not change while the module is
     * in use.
     */
    public static Module load(ByteBuffer model) {
        return load(model, null, Device.CPU);
    }

    /** Loads the content of a model file; see {@link #load(ByteBuffer)} and {@link #load(String, Map, Device)}. */
    public static Module load(ByteBuffer model, Map<String, String> extraFiles, Device device) {
        return load(model, extraFiles, device, false);
    }

    /** @param lite see {@link #load(String, Map, Device, boolean)} */
    static Module load(ByteBuffer model, Map<String, String> extraFiles, Device device, boolean lite) {
        if (model == null) {
            throw new IllegalArgumentException("model: null (expected: the bytes of a .pt, .ptl or .pt2 file)");
        }
        ModuleSource source;
        try {
            source = ModuleSource.of(model);
        } catch (RuntimeException e) {
            throw EnginePeer.unreadable("buffer", e);
        }
        return new Module(
                new EnginePeer(lite ? LiteFiles.byteCode(source, "buffer") : source, "buffer", extraFiles, device));
    }

    /** Loads a model from a stream, which is read to its end and left open. */
    public static Module load(InputStream model) throws IOException {
        return load(model, null, Device.CPU);
    }

    /** Loads a model from a stream; see {@link #load(InputStream)} and {@link #load(String, Map, Device)}. */
    public static Module load(InputStream model, Map<String, String> extraFiles, Device device) throws IOException {
        return load(model == null ? null : ByteBuffer.wrap(InputStreams.readAll(model)), extraFiles, device);
    }

    /**
     * Runs the model's {@code forward} method.
     *
     * @throws IllegalArgumentException if the arguments are not what the method takes
     * @throws org.torchnnapi.engine.ModelException if the model fails as it runs
     */
    public IValue forward(IValue... inputs) {
        return peer.forward(inputs);
    }

    /**
     * Runs another method of the model.
     *
     * @throws IllegalArgumentException if there is no such method or the arguments are not what it takes
     * @throws org.torchnnapi.engine.ModelException if the model fails as it runs
     */
    public IValue runMethod(String methodName, IValue... inputs) {
        return peer.runMethod(methodName, inputs);
    }

    /**
     * Gives up the model's memory now; the module cannot be used afterwards. Needless where the garbage collector does.
     */
    public void destroy() {
        peer.resetNative();
    }
}
