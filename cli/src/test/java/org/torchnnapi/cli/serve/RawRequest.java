package org.torchnnapi.cli.serve;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A request that says what it wants, whatever a well-behaved client would: and its answer. */
public final class RawRequest {
    private static final Pattern LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)");

    private final URI address;
    private final String method;
    private final String path;
    private final List<String> headers = new ArrayList<>();
    private byte[] body = {};
    private String host;
    private String length;

    /** @param status 0 where the connection was closed without an answer */
    public record Answer(int status, String head, byte[] body) {
        /** The body as text. */
        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** @param path behind the address, unless it begins with a slash */
    public RawRequest(String address, String method, String path) {
        this.address = URI.create(address);
        this.method = method;
        this.path = path.startsWith("/") ? path : this.address.getPath() + path;
        host = this.address.getAuthority();
    }

    public RawRequest host(String other) {
        host = other;
        return this;
    }

    public RawRequest header(String line) {
        headers.add(line);
        return this;
    }

    public RawRequest body(byte[] content) {
        body = content;
        length = Integer.toString(content.length);
        return this;
    }

    public RawRequest body(String content) {
        return body(content.getBytes(StandardCharsets.UTF_8));
    }

    /** Announces so many bytes, which need not come. */
    public RawRequest length(String announced) {
        length = announced;
        return this;
    }

    public Answer send() throws IOException {
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nConnection: close\r\n");
            if (host != null) {
                head.append("Host: ").append(host).append("\r\n");
            }
            headers.forEach(line -> head.append(line).append("\r\n"));
            if (length != null) {
                head.append("Content-Length: ").append(length).append("\r\n");
            }
            out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
            out.write(body);
            out.flush();
            ByteArrayOutputStream read = new ByteArrayOutputStream();
            for (int b = socket.getInputStream().read();
                    b >= 0;
                    b = socket.getInputStream().read()) {
                read.write(b);
                if (b == '\n' && read.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
                    break;
                }
            }
            // A server that has not read everything waits for more before it closes the connection.
            Matcher announced = LENGTH.matcher(read.toString(StandardCharsets.ISO_8859_1));
            read.write(socket.getInputStream().readNBytes(announced.find() ? Integer.parseInt(announced.group(1)) : 0));
            return answer(read.toByteArray());
        }
    }

    private static Answer answer(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) {
            return new Answer(0, text, new byte[0]);
        }
        byte[] body = text.substring(end + 4).getBytes(StandardCharsets.ISO_8859_1);
        return new Answer(Integer.parseInt(text.split(" ", 3)[1]), text.substring(0, end), body);
    }
}
