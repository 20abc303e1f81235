package org.torchnnapi.driver.android;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Platform;

/** Calls of C functions by address; system.c says more. An app for Android brings the library along as one of its own. */
final class NativeCalls {
    private static final String NAME = "torchnnapi_system";

    static {
        load();
    }

    private NativeCalls() {
    }

    static native long open(long name);

    static native long failure();

    static native long find(long library, long name);

    static native long call(long function, long a, long b, long c, long d, long e, long f);

    static native long length(long text);

    static native long address(ByteBuffer buffer);

    static native ByteBuffer buffer(long address, long size);

    private static void load() {
        String arch = System.getProperty("os.arch");
        String system = Platform.ANDROID ? "android" : System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String platform = system + "-" + (arch.equals("amd64") ? "x86_64" : arch);
        try (InputStream in = NativeCalls.class.getResourceAsStream(platform + "/lib" + NAME + ".so")) {
            if (in == null) {
                System.loadLibrary(NAME);
                return;
            }
            Path copy = Files.createTempFile(NAME, ".so");
            try {
                try (OutputStream out = Files.newOutputStream(copy)) {
                    InputStreams.copy(in, out);
                }
                System.load(copy.toAbsolutePath().toString());
            } finally {
                Files.delete(copy);
            }
        } catch (IOException e) {
            throw new UnsatisfiedLinkError("lib" + NAME + ".so for " + platform + ": " + e);
        }
    }
}
