package org.torchnnapi.c;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.ToIntFunction;
import org.torchnnapi.nnapi.driver.MemoryPreference;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;

/** A compilation, being described or finished. Methods return codes; see the NDK's reference for each. */
final class CompilationHandle extends Handle {
    private final ModelHandle model;
    private final CompilationBuilder builder;
    /** Devices that the caller chose, 0 if the runtime does. */
    private final int chosen;

    private boolean finished;
    private Compilation compilation;

    private CompilationHandle(ModelHandle model, List<Device> devices) {
        this.model = model;
        builder = new CompilationBuilder(model.model()).leaveContradictionsToExecutions();
        chosen = devices.size();
        if (chosen > 0) {
            builder.setDevices(devices).setFallback(false);
        }
        need(model);
    }

    /** @throws org.torchnnapi.nnapi.model.NnapiException BAD_STATE before {@link #finish}, and where that has failed */
    Compilation compilation() {
        if (compilation == null) {
            throw Answer.badState("compilation: not finished (expected: a compilation that finish accepted)");
        }
        return compilation;
    }

    Model model() {
        return model.model();
    }

    /** An input as the caller has described it. */
    OperandDescriptor input(int position) {
        return model.input(position);
    }

    /** Timing and timeouts are for compilations that the caller made for one device. */
    void requireOneDevice(String call) {
        if (chosen != 1) {
            throw Answer.bad(call + ": a compilation for " + (chosen == 0 ? "any" : chosen)
                    + " devices (expected: made for one)");
        }
    }

    /** @param devices positions, none for all */
    static long create(long modelId, int[] devices) {
        try {
            return new CompilationHandle(get(modelId, ModelHandle.class), DeviceTable.get(devices)).id;
        } catch (Throwable e) {
            return Answer.negative(e);
        }
    }

    static void free(long id) {
        CompilationHandle handle = find(id, CompilationHandle.class);
        if (handle != null) {
            handle.free();
        }
    }

    @Override
    void dispose() {
        if (compilation != null) {
            compilation.close();
        }
    }

    private static CompilationHandle open(long id) {
        CompilationHandle handle = get(id, CompilationHandle.class);
        if (handle.finished) {
            throw Answer.badState("compilation: finished (expected: before finish)");
        }
        return handle;
    }

    static int setPreference(long id, int preference) {
        try {
            open(id).builder.setPreference(Preference.ofCode(preference));
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setPriority(long id, int code) {
        try {
            CompilationHandle handle = open(id);
            for (Priority priority : Priority.values()) {
                if (priority.code() == code) {
                    handle.builder.setPriority(priority);
                    return Answer.OK;
                }
            }
            throw Answer.bad("priority: " + code + " (expected: 90, 100 or 110)");
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** @param nanos 0 for none; a number of 64 bits without sign */
    static int setTimeout(long id, long nanos) {
        try {
            CompilationHandle handle = open(id);
            handle.requireOneDevice("setTimeout");
            if (nanos != 0) {
                handle.builder.setTimeout(Duration.ofNanos(nanos < 0 ? Long.MAX_VALUE : nanos));
            }
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int setCaching(long id, String directory, byte[] token) {
        try {
            open(id).builder.setCaching(Path.of(directory), token);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    static int finish(long id) {
        try {
            CompilationHandle handle = open(id);
            handle.finished = true;
            handle.compilation = handle.builder.finish();
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }

    /** The preferred alignment in bytes of an input or output; see {@link Answer#pair}. */
    static long preferredAlignment(long id, boolean input, int index) {
        return preferred(id, input, index, MemoryPreference::alignment);
    }

    /** What lengths are preferred to be multiples of; see {@link Answer#pair}. */
    static long preferredPadding(long id, boolean input, int index) {
        return preferred(id, input, index, MemoryPreference::padding);
    }

    private static long preferred(long id, boolean input, int index, ToIntFunction<MemoryPreference> what) {
        try {
            Compilation compilation = get(id, CompilationHandle.class).compilation();
            return Answer.pair(
                    Answer.OK,
                    what.applyAsInt(input ? compilation.inputPreference(index) : compilation.outputPreference(index)));
        } catch (Throwable e) {
            return Answer.pair(Answer.code(e), 0);
        }
    }

    /** @param data null for none */
    static int addExtensionAttribute(long id, String extension, int code, byte[] data) {
        try {
            open(id).builder.addExtensionAttribute(new ExtensionCode(extension, code), data);
            return Answer.OK;
        } catch (Throwable e) {
            return Answer.code(e);
        }
    }
}
