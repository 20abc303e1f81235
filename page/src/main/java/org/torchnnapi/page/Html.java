package org.torchnnapi.page;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;

/**
 * Puts pages together: markup, style and scripts from resources, and what they show as JSON that no browser takes for
 * markup.
 */
final class Html {
    private static final String D3 = "/META-INF/resources/webjars/d3/7.9.0/dist/d3.min.js";

    private Html() {}

    /** @param script name of the page's own script, without ending */
    static String page(String title, Map<String, Object> data, String script) {
        String style = "\n" + resource("page.css");
        String library = "\n" + resource(D3) + "\n";
        String own = "\n" + resource(script + ".js");
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s %s; \
            style-src %s; img-src data:">
            <title>%s</title>
            <style>%s</style>
            </head>
            <body>
            %s<script type="application/json" id="data">%s</script>
            <script>%s</script>
            <script>%s</script>
            </body>
            </html>
            """.formatted(
                        hash(library),
                        hash(own),
                        hash(style),
                        text(title),
                        style,
                        resource(script + ".html"),
                        json(data),
                        library,
                        own);
    }

    /** By which a browser runs this script, or takes this style, and no other. */
    private static String hash(String content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256: absent (expected: in every Java)", e);
        }
    }

    /** JSON in which nothing ends a script element or begins a comment. */
    static String json(Object value) {
        try {
            return new ObjectMapper()
                    .writeValueAsString(value)
                    .replace("<", "\\u003c")
                    .replace(">", "\\u003e")
                    .replace("&", "\\u0026")
                    .replace("\u2028", "\\u2028")
                    .replace("\u2029", "\\u2029");
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "page: " + e.getMessage() + " (expected: maps, lists, texts and numbers)", e);
        }
    }

    static String text(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    private static String resource(String name) {
        try (InputStream in = Html.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(
                        "resource: " + name + " is not in the module's jar (expected: a jar that Maven built)");
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            in.transferTo(out);
            return new String(out.toByteArray(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
