package org.torchnnapi.cli.serve;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Names of files that a browser sends: what is kept of them is the name alone, in characters that every system has. */
final class FileName {
    static final List<String> MODELS = List.of(".pt", ".ptl", ".pt2");
    static final List<String> PICTURES = List.of(".png", ".jpg", ".jpeg", ".gif", ".bmp");

    private static final int MOST_CHARACTERS = 80;

    private FileName() {}

    /**
     * The last part of a request's path.
     *
     * @param encoded as it was sent
     * @throws HttpError if it does not end as one of these
     */
    static String of(String encoded, List<String> endings) {
        String name;
        try {
            name = URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw HttpError.badRequest("file: a name that cannot be decoded (expected: one in UTF-8)");
        }
        String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
        String safe = last.replaceAll("[^A-Za-z0-9._ ()+=@-]", "_").strip().replaceFirst("^[.-]", "_");
        if (!hasEnding(safe, endings)) {
            throw HttpError.badRequest(
                    "file: " + safe + " (expected: one that ends in " + String.join(", ", endings) + ")");
        }
        int dot = safe.lastIndexOf('.');
        int kept = MOST_CHARACTERS - (safe.length() - dot);
        return dot > kept ? safe.substring(0, kept) + safe.substring(dot) : safe;
    }

    static boolean hasEnding(String name, List<String> endings) {
        String small = name.toLowerCase(Locale.ROOT);
        return endings.stream().anyMatch(ending -> small.endsWith(ending) && small.length() > ending.length());
    }
}
