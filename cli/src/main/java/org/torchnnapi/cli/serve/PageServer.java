package org.torchnnapi.cli.serve;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.torchnnapi.cli.serve.ServedFiles.Kind;
import org.torchnnapi.page.ServePage;

/**
 * Serves one page to the browsers of this machine, and does what it asks for by the commands. It listens on the
 * loopback device alone and answers whoever knows its address; {@link Gate} says whom it refuses.
 */
public final class PageServer implements AutoCloseable {
    private static final int MOST_REQUEST_BYTES = 1 << 18;
    private static final int MOST_CLIENTS = 64;
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final String NO_PAGE = "default-src 'none'; frame-ancestors 'none'; sandbox";
    /** A page about a model runs its own script, in a world of its own: it may not ask this server for anything. */
    private static final String MODEL_PAGE = "sandbox allow-scripts; frame-ancestors 'self'";

    private final ServedFiles workspace;
    private final JobQueue jobs;
    private final CommandForms forms;
    private final Limits limits;
    private final Gate gate;
    private final HttpServer server;
    /** One that waits for a slow client keeps no other waiting, unless there are that many. */
    private final ExecutorService threads = Executors.newFixedThreadPool(MOST_CLIENTS);

    private final CountDownLatch ended = new CountDownLatch(1);
    private final ObjectMapper json = new ObjectMapper();
    private boolean closed;

    /**
     * Begins to serve.
     *
     * @param port 0 for any that is free
     * @throws IOException if the port is taken
     */
    public PageServer(int port, Limits limits, CommandRunner runner) throws IOException {
        this.limits = limits;
        forms = new CommandForms(runner::declared);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
        gate = new Gate(server.getAddress().getPort());
        workspace = new ServedFiles(limits);
        jobs = new JobQueue(workspace, limits, runner);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    /** Where the page is, for one who may have it. */
    public String address() {
        return gate.address();
    }

    /** The folder of all files. */
    Path folder() {
        return workspace.folder();
    }

    /** Shows a copy of a model from the start. */
    public void take(Path model) throws IOException {
        try {
            workspace.take(model);
        } catch (HttpError e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Waits until the page's user ends it. */
    public void await() throws InterruptedException {
        ended.await();
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            harden(exchange.getResponseHeaders());
            try {
                String path = gate.enter(exchange.getRequestURI().getRawPath(), exchange.getRequestHeaders());
                route(exchange, exchange.getRequestMethod(), path.split("/", -1));
            } catch (HttpError e) {
                send(exchange, e.status(), Map.of("error", e.getMessage()));
            }
        }
    }

    private static void harden(Headers headers) {
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cache-Control", "no-store");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Content-Security-Policy", NO_PAGE);
    }

    private void route(HttpExchange exchange, String method, String[] path) throws IOException {
        String place = path[0] + "/" + (path.length - 1);
        switch (method + " " + place) {
            case "GET /0" -> page(exchange);
            case "GET state/0" -> send(exchange, 200, state());
            case "PUT models/1" -> upload(exchange, path[1]);
            case "POST models/1" -> {
                workspace.requireModel(path[1], body(exchange).path("bytes").asLong());
                send(exchange, 200, Map.of());
            }
            case "GET models/1" -> {
                Path file = workspace.model(number(path[1])).file();
                send(exchange, file, "application/octet-stream");
            }
            case "DELETE models/1" -> {
                jobs.requireUnused(number(path[1]));
                workspace.remove(number(path[1]));
                send(exchange, 200, state());
            }
            case "PUT files/2" -> {
                String kept = workspace.receive(Kind.of(path[1]), path[2], exchange.getRequestBody(), length(exchange));
                Map<String, Object> state = state();
                state.put("received", kept);
                send(exchange, 200, state);
            }
            case "POST files/2" -> {
                workspace.requireFile(
                        Kind.of(path[1]), path[2], body(exchange).path("bytes").asLong());
                send(exchange, 200, Map.of());
            }
            case "DELETE files/1" -> {
                workspace.clear(Kind.of(path[1]));
                send(exchange, 200, state());
            }
            case "POST jobs/0" -> {
                Job job = jobs.add(JobRequest.of(body(exchange), workspace, forms));
                send(exchange, 202, job.toMap());
            }
            case "GET jobs/1" -> send(exchange, 200, jobs.job(number(path[1])).toMap());
            case "DELETE jobs/1" -> {
                jobs.cancel(number(path[1]));
                send(exchange, 200, jobs.job(number(path[1])).toMap());
            }
            case "GET jobs/2" -> made(exchange, jobs.file(number(path[1]), path[2]));
            case "POST end/0" -> {
                send(exchange, 200, Map.of());
                ended.countDown();
            }
            default -> {
                boolean isPlace = List.of(
                                "/0",
                                "state/0",
                                "models/1",
                                "files/1",
                                "files/2",
                                "jobs/0",
                                "jobs/1",
                                "jobs/2",
                                "end/0")
                        .contains(place);
                throw isPlace
                        ? HttpError.wrongMethod("method: another one (expected: one that the page uses)")
                        : HttpError.notFound("address: nothing is there (expected: one that the page uses)");
            }
        }
    }

    private void page(HttpExchange exchange) throws IOException {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("uploadBytes", limits.uploadBytes());
        data.put("forms", forms.toMap());
        byte[] html = ServePage.html(data).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Security-Policy", "frame-ancestors 'none'");
        exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
        send(exchange, 200, html);
    }

    private Map<String, Object> state() throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("models", workspace.models().stream().map(PageServer::told).toList());
        for (Kind kind : Kind.values()) {
            map.put(
                    kind.word(),
                    workspace.files(kind).stream()
                            .map(file -> file.getFileName().toString())
                            .toList());
        }
        map.put("jobs", jobs.jobs().stream().map(Job::id).toList());
        return map;
    }

    private static Map<String, Object> told(ServedFiles.Model model) {
        return Map.of(
                "id", model.id(),
                "name", model.name(),
                "bytes", model.file().toFile().length(),
                "origin", model.origin());
    }

    private void upload(HttpExchange exchange, String encoded) throws IOException {
        send(exchange, 200, told(workspace.receive(encoded, exchange.getRequestBody(), length(exchange))));
    }

    private void made(HttpExchange exchange, Path file) throws IOException {
        if (file.getFileName().toString().equals(JobRequest.PAGE)) {
            exchange.getResponseHeaders().set("Content-Security-Policy", MODEL_PAGE);
            exchange.getResponseHeaders().set("Content-Type", "text/html; charset=utf-8");
            send(exchange, 200, Files.readAllBytes(file));
        } else {
            send(exchange, file, "application/octet-stream");
        }
    }

    /** The announced length of a body, or -1. */
    private static long length(HttpExchange exchange) {
        String length = exchange.getRequestHeaders().getFirst("Content-Length");
        return length == null ? -1 : Long.parseLong(length);
    }

    private JsonNode body(HttpExchange exchange) throws IOException {
        try (InputStream in = exchange.getRequestBody()) {
            byte[] bytes = in.readNBytes(MOST_REQUEST_BYTES + 1);
            if (bytes.length > MOST_REQUEST_BYTES) {
                throw HttpError.tooLarge("request: more than " + MOST_REQUEST_BYTES + " bytes (expected: less)");
            }
            JsonNode content = json.readTree(bytes);
            if (content == null || !content.isObject()) {
                throw HttpError.badRequest("request: no object (expected: an object in JSON)");
            }
            return content;
        } catch (JsonProcessingException e) {
            throw HttpError.badRequest("request: no JSON (expected: an object in JSON)");
        }
    }

    private static int number(String text) {
        if (!text.matches("[0-9]{1,9}")) {
            throw HttpError.notFound("address: nothing is there (expected: one that the page uses)");
        }
        return Integer.parseInt(text);
    }

    private void send(HttpExchange exchange, int status, Object value) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        send(exchange, status, json.writeValueAsBytes(value));
    }

    private static void send(HttpExchange exchange, int status, byte[] bytes) throws IOException {
        exchange.sendResponseHeaders(status, bytes.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(bytes);
        }
    }

    /** Names of the workspace's files have no quotes. */
    private static void send(HttpExchange exchange, Path file, String type) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.getResponseHeaders().set("Content-Disposition", "attachment; filename=\"" + file.getFileName() + "\"");
        exchange.sendResponseHeaders(200, Files.size(file));
        try (OutputStream out = exchange.getResponseBody()) {
            Files.copy(file, out);
        }
    }

    /** Ends all work, and removes all files; once. */
    @Override
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        server.stop(0);
        threads.shutdownNow();
        jobs.close();
        workspace.close();
        ended.countDown();
    }
}
