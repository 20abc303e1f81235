package org.torchnnapi.fuzz;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.imageio.ImageIO;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.testkit.torch.Npy;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

/** Sound files; src/main/python/make_seeds.py wrote the modules, programs of torch.export are texts. */
final class Seeds {
    /** The record with the source of module {@code Program}. */
    static final String PROGRAM_SOURCE = "code/__torch__.py";

    private static final Map<String, byte[]> READ = new ConcurrentHashMap<>();
    private static Path file;

    private Seeds() {}

    static byte[] read(String name) {
        return READ.computeIfAbsent(name, key -> {
            try (InputStream in = Seeds.class.getResourceAsStream("seeds/" + key)) {
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    static byte[] record(String module, String record) {
        return Door.bytes(TorchScriptArchive.of(read(module)).bytes(record));
    }

    /** The archive of a module with another content of a record. */
    static Supplier<TorchScriptArchive> with(String module, String record, byte[] content) {
        TorchScriptArchive archive = TorchScriptArchive.of(read(module));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.setLevel(0);
            for (String name : archive.records()) {
                zip.putNextEntry(new ZipEntry(archive.folder() + "/" + name));
                zip.write(name.equals(record) ? content : Door.bytes(archive.bytes(name)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return () -> TorchScriptArchive.of(bytes.toByteArray());
    }

    /** A file that holds these bytes until the next call. */
    static Path file(byte[] content, String ending) throws IOException {
        if (file == null) {
            file = Files.createTempFile("fuzz", ending);
            file.toFile().deleteOnExit();
        }
        return Files.write(file, content);
    }

    static byte[] npy() throws IOException {
        Path target = Files.createTempFile("seed", ".npy");
        try {
            Npy.write(target, Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
            return Files.readAllBytes(target);
        } finally {
            Files.delete(target);
        }
    }

    static List<byte[]> images() throws IOException {
        List<byte[]> images = new ArrayList<>();
        for (String format : List.of("png", "jpg", "gif", "bmp")) {
            BufferedImage image = new BufferedImage(9, 7, BufferedImage.TYPE_INT_RGB);
            image.setRGB(3, 3, 0x80FF40);
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            ImageIO.write(image, format, out);
            images.add(out.toByteArray());
        }
        return images;
    }

    static List<byte[]> profiles() throws IOException {
        List<byte[]> profiles = new ArrayList<>();
        for (String name : DeviceProfile.builtIn()) {
            try (InputStream in = DeviceProfile.class.getResourceAsStream("profiles/" + name + ".profile")) {
                profiles.add(in.readAllBytes());
            }
        }
        return profiles;
    }
}
