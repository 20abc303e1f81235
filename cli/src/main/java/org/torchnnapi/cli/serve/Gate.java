package org.torchnnapi.cli.serve;

import com.sun.net.httpserver.Headers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;

/**
 * Whom a server on this machine answers: whoever knows the random token in its address, and no page of another server,
 * whatever name that gave to this machine.
 */
final class Gate {
    private static final int TOKEN_BYTES = 24;
    private static final List<String> NAMES = List.of("127.0.0.1", "localhost");
    /** What browsers say of requests that the page itself made, or a person who typed the address. */
    private static final List<String> OWN_SITES = List.of("same-origin", "none");

    private final String token;
    private final int port;

    Gate(int port) {
        byte[] bytes = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(bytes);
        this.token = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
        this.port = port;
    }

    String address() {
        return "http://" + NAMES.get(0) + ":" + port + "/" + token + "/";
    }

    /**
     * Lets a request in.
     *
     * @param path as it was sent
     * @return the rest of the path, behind the token
     * @throws HttpError if it may not
     */
    String enter(String path, Headers headers) {
        String[] parts = path.split("/", 3);
        boolean knows = parts.length == 3
                && parts[0].isEmpty()
                && MessageDigest.isEqual(
                        parts[1].getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
        String host = one(headers, "Host");
        String origin = one(headers, "Origin");
        String site = one(headers, "Sec-Fetch-Site");
        boolean isOwnHost = NAMES.stream().anyMatch(name -> (name + ":" + port).equalsIgnoreCase(host));
        boolean isOwnOrigin = origin == null || origin.equalsIgnoreCase("http://" + host);
        boolean isOwnSite = site == null || OWN_SITES.contains(site);
        if (!knows || !isOwnHost || !isOwnOrigin || !isOwnSite) {
            throw HttpError.forbidden("address: not this server's (expected: the one that torch-nnapi printed)");
        }
        return parts[2];
    }

    /** A header's only value; null where there is none, and what no check takes where there are several. */
    private static String one(Headers headers, String name) {
        List<String> values = headers.get(name);
        return values == null || values.isEmpty() ? null : values.size() == 1 ? values.get(0) : "";
    }
}
