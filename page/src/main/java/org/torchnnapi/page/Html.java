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
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Puts pages together: markup, style and scripts from resources, and what they show as JSON that no browser takes for
 * markup.
 */
final class Html {
    private static final String D3 = "/META-INF/resources/webjars/d3/7.9.0/dist/d3.min.js";

    private Html() {}

    /** @param script name of the page's own script and markup, without ending; it draws with D3 */
    static String page(String title, Map<String, Object> data, String script) {
        return page(
                title, data, "page", List.of("\n" + resource(D3) + "\n", "\n" + resource(script + ".js")), script, "");
    }

    /**
     * @param style name of the page's own style, without ending
     * @param scripts what the page runs, in this order
     * @param markup name of the page's body, without ending
     * @param more what the page may do beside showing itself, in the words of a Content-Security-Policy
     */
    static String page(
            String title, Map<String, Object> data, String style, List<String> scripts, String markup, String more) {
        String styles = "\n" + resource("base.css") + resource(style + ".css");
        StringBuilder elements = new StringBuilder();
        scripts.forEach(script -> elements.append("<script>").append(script).append("</script>\n"));
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src %s; \
            style-src %s; img-src data:%s">
            <title>%s</title>
            <style>%s</style>
            </head>
            <body>
            %s<script type="application/json" id="data">%s</script>
            %s</body>
            </html>
            """.formatted(
                        scripts.stream().map(Html::hash).collect(Collectors.joining(" ")),
                        hash(styles),
                        more,
                        text(title),
                        styles,
                        resource(markup + ".html"),
                        json(data),
                        elements);
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

    static String resource(String name) {
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
