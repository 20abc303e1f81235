package org.torchnnapi.driver.android;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Paths;
import java.util.Locale;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Platform;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.tensor.platform.UnpackedFile;

/**
 * Calls of C functions by address; system.c says more. An app for Android brings the library along as one of its own.
 * The system property {@code torchnnapi.system.library=FILE} names another build of it.
 */
final class NativeCalls {
    private static final String NAME = "torchnnapi_system";
    private static final String GIVEN_LIBRARY = "torchnnapi.system.library";

    static {
        load();
        requireVersion();
    }

    private NativeCalls() {}

    private static native long version();

    /** Bytes of a pointer. */
    static native int wordBytes();

    static native long open(long name);

    static native long failure();

    static native long find(long library, long name);

    static native long call(long function, long a, long b, long c, long d, long e, long f);

    static native long callWithDuration(long function, long a, long duration);

    static native long callAfterEvents(long function, long a, long b, long c, long duration, long e);

    static native long callWithFloat(long function, long a, long b, long c, float d);

    static native long length(long text);

    static native long address(ByteBuffer buffer);

    static native ByteBuffer buffer(long address, long size);

    /**
     * A library of other sources has other functions, or the same with other arguments: calling it would end the
     * virtual machine.
     */
    private static void requireVersion() {
        String found;
        try {
            found = String.format("%016x", version());
        } catch (UnsatisfiedLinkError e) {
            found = "none";
        }
        SystemCallsVersionError.requireSame(found, expectedVersion(), System.getProperty(GIVEN_LIBRARY, NAME));
    }

    private static String expectedVersion() {
        try (InputStream in = NativeCalls.class.getResourceAsStream("version")) {
            if (in == null) {
                return "none that is told";
            }
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            InputStreams.copy(in, text);
            return Strings.strip(text.toString("US-ASCII"));
        } catch (IOException e) {
            throw new UnsatisfiedLinkError("version of lib" + NAME + ".so: " + e);
        }
    }

    private static void load() {
        String given = System.getProperty(GIVEN_LIBRARY);
        if (given != null) {
            System.load(Paths.get(given).toAbsolutePath().toString());
            return;
        }
        String system =
                Platform.ANDROID ? "android" : System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String platform = system + "-" + Platform.PROCESSOR;
        try (InputStream in = NativeCalls.class.getResourceAsStream(platform + "/lib" + NAME + ".so")) {
            if (in == null) {
                System.loadLibrary(NAME);
                return;
            }
            try (UnpackedFile copy = UnpackedFile.of(in, "lib" + NAME + ".so")) {
                System.load(copy.path().toString());
            }
        } catch (IOException e) {
            throw new UnsatisfiedLinkError("lib" + NAME + ".so for " + platform + ": " + e);
        }
    }
}
