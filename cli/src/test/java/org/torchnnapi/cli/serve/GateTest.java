package org.torchnnapi.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.Headers;
import java.net.URI;
import org.junit.jupiter.api.Test;

class GateTest {
    private final Gate gate = new Gate(8080);
    private final String path = URI.create(gate.address()).getPath();

    private static Headers headers(String... words) {
        Headers headers = new Headers();
        for (int i = 0; i < words.length; i += 2) {
            headers.add(words[i], words[i + 1]);
        }
        return headers;
    }

    private void refuses(String asked, String... words) {
        HttpError refused = assertThrows(HttpError.class, () -> gate.enter(asked, headers(words)));
        assertEquals(HttpError.FORBIDDEN, refused.status());
    }

    @Test
    void whoKnowsTheAddressIsLetIn() {
        assertEquals("state", gate.enter(path + "state", headers("Host", "127.0.0.1:8080")));
        assertEquals("", gate.enter(path, headers("Host", "localhost:8080", "Sec-Fetch-Site", "none")));
        assertEquals(
                "jobs/1/page.html",
                gate.enter(
                        path + "jobs/1/page.html",
                        headers(
                                "Host",
                                "127.0.0.1:8080",
                                "Origin",
                                "http://127.0.0.1:8080",
                                "Sec-Fetch-Site",
                                "same-origin")));
    }

    @Test
    void tokensAreLongAndNoTwoAreOne() {
        assertTrue(path.length() >= 34, path);
        assertNotEquals(new Gate(8080).address(), gate.address());
    }

    @Test
    void otherTokensAreRefused() {
        String token = path.substring(1, path.length() - 1);
        for (String asked : new String[] {
            "/",
            "",
            "//",
            "/state",
            "/" + token,
            "/" + token.substring(1) + "/",
            "/" + token + "x/",
            "//" + token + "/",
            "/" + token.toLowerCase(java.util.Locale.ROOT) + "/state"
        }) {
            refuses(asked, "Host", "127.0.0.1:8080");
        }
    }

    @Test
    void namesThatWereGivenToThisMachineAreRefused() {
        refuses(path, "Host", "attacker.example:8080");
        refuses(path, "Host", "127.0.0.1");
        refuses(path, "Host", "127.0.0.1:8081");
        refuses(path, "Host", "127.0.0.1:8080", "Host", "127.0.0.1:8080");
        refuses(path);
    }

    @Test
    void pagesOfOthersAreRefused() {
        refuses(path, "Host", "127.0.0.1:8080", "Origin", "http://attacker.example");
        refuses(path, "Host", "127.0.0.1:8080", "Origin", "null");
        refuses(path, "Host", "127.0.0.1:8080", "Origin", "http://127.0.0.1:8081");
        refuses(path, "Host", "127.0.0.1:8080", "Sec-Fetch-Site", "cross-site");
        refuses(path, "Host", "127.0.0.1:8080", "Sec-Fetch-Site", "same-site");
    }
}
