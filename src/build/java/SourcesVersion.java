import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.stream.Stream;

/**
 * What tells a library's sources from others: {@code java SourcesVersion.java SOURCES...} prints the first bytes of a
 * digest of the folders' files.
 */
final class SourcesVersion {
    private SourcesVersion() {}

    public static void main(String[] args) throws IOException {
        System.out.println(of(Stream.of(args).map(Path::of).toArray(Path[]::new)));
    }

    /** As 16 digits, whatever lines end with. */
    static String of(Path... folders) throws IOException {
        MessageDigest digest;
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
        for (Path folder : folders) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.sorted().toList()) {
                    digest.update(
                            (file.getFileName() + "\n" + Files.readString(file).replace("\r", ""))
                                    .getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        return HexFormat.of().formatHex(digest.digest(), 0, Long.BYTES);
    }
}
