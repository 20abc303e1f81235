package org.torchnnapi.torchscript.archive;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which release of PyTorch wrote an archive, as far as it can be told: files do not say. From 2.1 on they record their
 * byte order and an identity, and operators that a release does not have are written by later ones only.
 */
public final class FileOrigin {
    private static final String OPERATORS = "operators-since.txt";

    private FileOrigin() {}

    /**
     * Operators that PyTorch 1.13 does not have, with the first of the releases 2.0, 2.1, 2.5 and 2.10 that has them.
     *
     * @param operators qualified names, such as {@code aten::rms_norm}
     */
    public static Map<String, String> newOperators(Collection<String> operators) {
        Map<String, String> since = since();
        Map<String, String> found = new TreeMap<>();
        for (String operator : operators) {
            String release = since.get(operator);
            if (release != null) {
                found.put(operator, release);
            }
        }
        return found;
    }

    /** Such as {@code PyTorch 2.1 or later}. */
    public static String writer(TorchScriptArchive archive, Collection<String> operators) {
        Set<String> records = archive.records();
        boolean identified = records.contains("byteorder") && records.contains(".data/serialization_id");
        String newest = identified ? "2.1" : null;
        for (String release : newOperators(operators).values()) {
            newest = newest == null || compare(release, newest) > 0 ? release : newest;
        }
        String least = newest == null ? "" : newest.equals("2.5") ? "2.2" : newest.equals("2.10") ? "2.6" : newest;
        // A release between two of the list may be the first to have an operator.
        return newest == null
                ? "PyTorch before 2.1, or this project"
                : identified ? "PyTorch " + least + " or later" : "PyTorch 2.0";
    }

    private static int compare(String a, String b) {
        return Integer.compare(
                Integer.parseInt(a.substring(a.indexOf('.') + 1)), Integer.parseInt(b.substring(b.indexOf('.') + 1)));
    }

    private static Map<String, String> since() {
        Map<String, String> since = new HashMap<>();
        try (InputStream in = FileOrigin.class.getResourceAsStream(OPERATORS);
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                since.put(line.substring(0, space), line.substring(space + 1));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(OPERATORS, e);
        }
        return since;
    }
}
