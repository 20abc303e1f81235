package org.torchnnapi.nnapi.runtime;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.torchnnapi.nnapi.driver.ExtensionAttribute;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * One file of what a device prepared: a magic number, the key, the length, the data, and a digest of it all. The key
 * covers token, device, driver version, attributes, part and the model itself; a file with another key, or damaged, is
 * as good as none.
 */
final class CompilationCache {
    private static final Logger LOG = Logger.getLogger(CompilationCache.class.getName());
    private static final byte[] MAGIC = "torch-nnapi cache 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGEST_BYTES = 32;
    /** No process takes as long to write a file: one that has a draft of that age was killed. */
    private static final long DRAFT_MILLIS = 3_600_000;

    private final Path file;
    private final byte[] key;

    CompilationCache(
            Path directory, byte[] token, Model part, Device device, int number, List<ExtensionAttribute> attributes) {
        MessageDigest name = sha256();
        name.update(token);
        name.update((device.name() + "/" + number).getBytes(StandardCharsets.UTF_8));
        file = directory.resolve(hex(name.digest()) + ".nnapi");
        MessageDigest digest = sha256();
        digest.update(token);
        digest.update((device.name() + "/" + device.version() + "/" + number + "\n").getBytes(StandardCharsets.UTF_8));
        if (!attributes.isEmpty()) {
            digest.update((attributes + "\n").getBytes(StandardCharsets.UTF_8));
        }
        update(digest, part);
        key = digest.digest();
    }

    private static void update(MessageDigest digest, Model model) {
        for (Operand operand : model.operands()) {
            digest.update((operand + " " + operand.descriptor().channelQuantization() + "\n")
                    .getBytes(StandardCharsets.UTF_8));
            if (operand.value() != null) {
                digest.update(operand.value());
            }
            if (operand.referenced() != null) {
                update(digest, operand.referenced());
            }
        }
        for (Operation operation : model.operations()) {
            digest.update((operation + "\n").getBytes(StandardCharsets.UTF_8));
        }
        digest.update((Arrays.toString(model.inputs()) + Arrays.toString(model.outputs()) + model.isRelaxed())
                .getBytes(StandardCharsets.UTF_8));
    }

    /** The data, or null where there is none to be trusted. */
    byte[] read() {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException | OutOfMemoryError e) {
            LOG.log(Level.FINE, "cache entry ignored: " + file, e);
            return null;
        }
        int header = MAGIC.length + DIGEST_BYTES + Long.BYTES;
        if (bytes.length < header + DIGEST_BYTES
                || !Buffers.equal(bytes, 0, MAGIC, 0, MAGIC.length)
                || !Buffers.equal(bytes, MAGIC.length, key, 0, DIGEST_BYTES)) {
            LOG.fine(() -> "cache entry of something else ignored: " + file);
            return null;
        }
        long length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getLong(MAGIC.length + DIGEST_BYTES);
        int end = bytes.length - DIGEST_BYTES;
        MessageDigest digest = sha256();
        digest.update(bytes, 0, end);
        if (length != end - header || !Arrays.equals(digest.digest(), Arrays.copyOfRange(bytes, end, bytes.length))) {
            LOG.warning("damaged cache entry ignored: " + file);
            return null;
        }
        return Arrays.copyOfRange(bytes, header, end);
    }

    /** Stores the data; a cache that cannot be written is no reason to fail. */
    void write(byte[] data) {
        if (data == null) {
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(MAGIC.length + DIGEST_BYTES + Long.BYTES + data.length + DIGEST_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        bytes.put(MAGIC).put(key).putLong(data.length).put(data);
        MessageDigest digest = sha256();
        digest.update(bytes.array(), 0, bytes.position());
        bytes.put(digest.digest());
        try {
            Files.createDirectories(file.getParent());
            deleteOldDrafts(file.getParent());
            // Another process may read at any time: it sees the old file or the whole new one.
            Path draft = Files.createTempFile(file.getParent(), "draft", ".tmp");
            try {
                Files.write(draft, bytes.array());
                Files.move(draft, file, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(draft);
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "cache entry not written: " + file, e);
        }
    }

    /** What can't be listed or deleted, stays. */
    private static void deleteOldDrafts(Path directory) {
        File[] drafts =
                directory.toFile().listFiles((folder, name) -> name.startsWith("draft") && name.endsWith(".tmp"));
        for (File draft : drafts == null ? new File[0] : drafts) {
            if (draft.lastModified() < System.currentTimeMillis() - DRAFT_MILLIS) {
                draft.delete();
            }
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hex(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        for (byte b : bytes) {
            text.append(String.format("%02x", b));
        }
        return text.toString();
    }
}
