package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.torchscript.format.ArchiveException;

/** Damaged and malicious files: every one is read soundly or refused with the one typed exception. */
class HostileArchiveTest {
    private static final byte[] TINY = TorchScriptArchiveTest.resource("tiny.pt");

    /** Reads all there is; anything but success or {@link ArchiveException} fails the test. */
    private static boolean readsOrRefuses(byte[] bytes) {
        try {
            readAll(TorchScriptArchive.of(bytes));
            return true;
        } catch (ArchiveException e) {
            assertTrue(e.getMessage() != null && e.getMessage().length() < 2000, "message");
            return false;
        }
    }

    private static void readAll(TorchScriptArchive archive) {
        archive.data();
        archive.constants();
        archive.sources().keySet().forEach(archive::sourceMap);
        archive.extraFiles();
    }

    private static String refusal(byte[] bytes) {
        return assertThrows(ArchiveException.class, () -> readAll(TorchScriptArchive.of(bytes)))
                .getMessage();
    }

    @Test
    void truncatedAnywhereIsRefused() {
        for (int length = 0; length < TINY.length; length++) {
            byte[] cut = Arrays.copyOf(TINY, length);
            assertThrows(ArchiveException.class, () -> readAll(TorchScriptArchive.of(cut)), "cut to " + length);
        }
    }

    @Test
    void flippedBitsNeverBreakTheReader() {
        Random random = new Random(1);
        for (int round = 0; round < 20_000; round++) {
            byte[] damaged = TINY.clone();
            for (int i = 0; i <= random.nextInt(4); i++) {
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
            }
            readsOrRefuses(damaged);
        }
    }

    @Test
    void payloadDamageIsFoundByItsChecksum() {
        TorchScriptArchive archive = TorchScriptArchive.of(TINY);
        ZipEntryInfo entry = archive.zip().entries().get("tiny/data/0");
        byte[] damaged = TINY.clone();
        int at = (int) (entry.headerOffset() + 30) / 64 * 64 + 64;
        damaged[at] ^= 1;
        assertTrue(refusal(damaged).contains("checksum"));
    }

    @Test
    void randomBytesAreRefused() {
        Random random = new Random(2);
        for (int round = 0; round < 2000; round++) {
            byte[] noise = new byte[random.nextInt(400)];
            random.nextBytes(noise);
            readsOrRefuses(noise);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil/data.pkl", "/abs/data.pkl", "m/../x", "m//x", "m\\x", "./m/x", "m/./x"})
    void pathTricksAreRefused(String name) throws IOException {
        assertTrue(refusal(zip(new String[] {name}, new byte[][] {{1}}, true)).contains("name"));
    }

    @Test
    void duplicateNamesAreRefused() throws IOException {
        byte[] bytes = zip(new String[] {"m/a", "m/b"}, new byte[][] {{1}, {2}}, true);
        byte[] renamed = new String(bytes, StandardCharsets.ISO_8859_1)
                .replace("m/b", "m/a")
                .getBytes(StandardCharsets.ISO_8859_1);
        assertTrue(refusal(renamed).contains("twice"));
    }

    @Test
    void overlappingEntriesAreRefused() {
        byte[] bytes = TINY.clone();
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int start = file.getInt(bytes.length - 6);
        int second = start + 46 + (file.getShort(start + 28) & 0xFFFF);
        // The second directory entry, renamed to the first one's place.
        file.putInt(second + 42, file.getInt(start + 42));
        String message = refusal(bytes);
        assertTrue(message.contains("overlaps"), message);
    }

    @Test
    void bombsAreRefusedBeforeTheyUnpack() throws IOException {
        byte[] zeros = new byte[64 << 20];
        String[] names = new String[12];
        byte[][] contents = new byte[12][];
        for (int i = 0; i < names.length; i++) {
            names[i] = "m/code/z" + i + ".py";
            contents[i] = zeros;
        }
        byte[] bomb = zip(names, contents, true);
        ZipReader reader = ZipReader.of(ByteBuffer.wrap(bomb));
        ArchiveException e = assertThrows(ArchiveException.class, () -> {
            for (String name : names) {
                reader.read(name);
            }
        });
        assertTrue(e.getMessage().contains("unpacks to"), e.getMessage());
    }

    @Test
    void falseSizesOfCompressedEntriesAreRefused() throws IOException {
        byte[] bytes = zip(new String[] {"m/a"}, new byte[][] {new byte[1000]}, true);
        ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        int start = file.getInt(bytes.length - 6);
        for (int claim : new int[] {0, 999, 1001, 200_000_000}) {
            file.putInt(start + 24, claim);
            assertThrows(
                    ArchiveException.class,
                    () -> ZipReader.of(ByteBuffer.wrap(bytes)).read("m/a"),
                    "claim " + claim);
        }
    }

    @Test
    void tooManyEntriesAreRefused() {
        byte[] bytes = TINY.clone();
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putLong(bytes.length - 22 - 20 - 56 + 32, 1L << 40);
        assertTrue(refusal(bytes).contains("entries"));
    }

    @Test
    void ordinaryZipsAreRead() throws IOException {
        TorchScriptArchive archive = TorchScriptArchive.of(TINY);
        String[] names = archive.zip().entries().keySet().toArray(new String[0]);
        byte[][] contents = new byte[names.length][];
        for (int i = 0; i < names.length; i++) {
            ByteBuffer bytes = archive.zip().read(names[i]);
            contents[i] = new byte[bytes.remaining()];
            bytes.get(contents[i]);
        }
        names = Arrays.copyOf(names, names.length + 1);
        names[names.length - 1] = "foreign/readme";
        contents = Arrays.copyOf(contents, names.length);
        contents[names.length - 1] = new byte[] {1, 2, 3};
        TorchScriptArchive copy = TorchScriptArchive.of(zip(names, contents, true));
        assertEquals(TreeText.of(archive.data()), TreeText.of(copy.data()));
    }

    @Test
    void newerVersionsAreRefusedByNumber() throws IOException {
        byte[] bytes = zip(
                new String[] {"m/data.pkl", "m/constants.pkl", "m/version"},
                new byte[][] {
                    {(byte) 0x80, 2, 'N', '.'}, {(byte) 0x80, 2, ')', '.'}, "11\n".getBytes(StandardCharsets.UTF_8)
                },
                false);
        assertTrue(refusal(bytes).contains("archive version: 11"));
    }

    static byte[] zip(String[] names, byte[][] contents, boolean deflate) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setLevel(deflate ? 9 : 0);
            for (int i = 0; i < names.length; i++) {
                zip.putNextEntry(new ZipEntry(names[i]));
                zip.write(contents[i]);
            }
        }
        return out.toByteArray();
    }

    /** A state_dict, as torch.save writes it since PyTorch 1.6 and as it did before. */
    @Test
    void filesOfTorchSaveSayWhatToDo() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
            zip.putNextEntry(new ZipEntry("state/data.pkl"));
            zip.write(new byte[] {(byte) 0x80, 2, '}', '.'});
            zip.putNextEntry(new ZipEntry("state/version"));
            zip.write("3\n".getBytes(StandardCharsets.US_ASCII));
        }
        byte[] legacy = HexFormat.of().parseHex("80028a0a6cfc9c46f9206aa850192e80024de9032e");
        for (byte[] file : List.of(bytes.toByteArray(), legacy)) {
            ArchiveException e = assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(file));
            assertTrue(
                    e.getMessage().contains("as torch.save writes them")
                            && e.getMessage().contains("torch.jit.save("),
                    e.getMessage());
        }
    }
}
