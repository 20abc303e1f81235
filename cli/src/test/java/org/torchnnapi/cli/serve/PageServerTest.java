package org.torchnnapi.cli.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.cli.serve.RawRequest.Answer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

@Timeout(60)
class PageServerTest {
    private static final String PAGE = "<!DOCTYPE html><title>a graph</title>";

    private PageServer server;

    @BeforeEach
    void start() throws IOException {
        server = new PageServer(0, new Limits(1000, 10_000, 4, 4, 2, 4, Duration.ofSeconds(30)), new CommandRunner() {
            @Override
            public CommandSpec declared(String command) {
                CommandSpec spec = CommandSpec.create();
                Stream.concat(Action.of(command).options().stream(), Action.PICTURES.stream())
                        .map(option -> option.split("=")[0])
                        .distinct()
                        .forEach(name -> spec.addOption(OptionSpec.builder(name)
                                .type(name.equals("--nhwc") ? Boolean.class : String.class)
                                .description("what " + name + " is")
                                .build()));
                return spec;
            }

            @Override
            public int run(String... words) {
                try {
                    for (String word : words) {
                        if (word.startsWith("--html=")) {
                            Files.writeString(Path.of(word.substring("--html=".length())), PAGE);
                        }
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                System.out.println(String.join("|", words));
                return 0;
            }

            @Override
            public long stackBytes() {
                return 0;
            }
        });
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        assertFalse(Files.exists(server.folder()), "files stay behind");
    }

    private RawRequest request(String method, String path) {
        return new RawRequest(server.address(), method, path);
    }

    private JsonNode done(String asked) throws IOException, InterruptedException {
        Answer begun = request("POST", "jobs").body(asked).send();
        assertEquals(202, begun.status(), begun.text());
        ObjectMapper json = new ObjectMapper();
        String job = "jobs/" + json.readTree(begun.body()).get("id");
        while (true) {
            JsonNode told = json.readTree(request("GET", job).send().body());
            if (!List.of("waiting", "running").contains(told.get("state").asText())) {
                return told;
            }
            Thread.sleep(10);
        }
    }

    private static void refused(int status, Answer answer) throws IOException {
        assertEquals(status, answer.status(), answer.text());
        String error = new ObjectMapper().readTree(answer.body()).get("error").asText();
        assertTrue(error.contains("(expected: "), error);
    }

    @Test
    void itListensOnTheLoopbackDeviceAlone() throws IOException {
        int port = URI.create(server.address()).getPort();
        assertTrue(server.address().startsWith("http://127.0.0.1:"), server.address());
        for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            for (InetAddress address : Collections.list(device.getInetAddresses())) {
                if (!address.isLoopbackAddress()) {
                    try (Socket socket = new Socket(address, port)) {
                        throw new AssertionError("reached by " + socket);
                    } catch (ConnectException e) {
                        // As it is to be.
                    }
                }
            }
        }
    }

    @Test
    void everythingWithoutTheTokenOrFromAnotherPageIsForbidden() throws IOException {
        for (String method : List.of("GET", "PUT", "POST", "DELETE")) {
            for (String path : List.of("/", "/state", "/jobs", "/models/net.pt", "/favicon.ico")) {
                refused(403, request(method, path).send());
            }
        }
        refused(403, request("GET", "").host("attacker.example").send());
        refused(403, request("GET", "").host(null).send());
        refused(
                403,
                request("POST", "jobs")
                        .header("Origin: http://attacker.example")
                        .body("{}")
                        .send());
        refused(403, request("POST", "end").header("Sec-Fetch-Site: cross-site").send());
        assertEquals(200, request("GET", "state").send().status());
    }

    @Test
    void thePageIsHardened() throws IOException {
        Answer page = request("GET", "").send();
        assertEquals(200, page.status());
        assertTrue(page.head().contains("frame-ancestors 'none'"), page.head());
        assertTrue(page.head().contains("nosniff") && page.head().contains("no-referrer"), page.head());
        assertFalse(page.text().contains("unsafe-inline"));
        assertTrue(page.text().contains("connect-src 'self'"));
        assertTrue(page.text().contains("what --mode is"));
        Answer state = request("GET", "state").send();
        assertTrue(state.head().contains("application/json") && state.head().contains("sandbox"), state.head());
    }

    @Test
    void hugeUploadsAreRefusedBeforeTheyCome() throws IOException {
        refused(413, request("PUT", "models/net.pt").length("99999999999").send());
        refused(413, request("PUT", "files/inputs/cat.png").length("1001").send());
        refused(
                413,
                request("PUT", "models/net.pt")
                        .header("Transfer-Encoding: chunked")
                        .body("7d0\r\n" + "x".repeat(2000) + "\r\n0\r\n\r\n")
                        .length(null)
                        .send());
        refused(413, request("POST", "models/net.pt").body("{\"bytes\":1001}").send());
        refused(
                400,
                request("POST", "files/inputs/net.exe").body("{\"bytes\":1}").send());
        assertEquals(
                "[]",
                new ObjectMapper()
                        .readTree(request("GET", "state").send().body())
                        .get("models")
                        .toString());
    }

    @Test
    void brokenRequestsAreRefused() throws IOException {
        request("PUT", "models/net.pt").body("model").send();
        refused(400, request("PUT", "models/net.exe").body("x").send());
        refused(404, request("PUT", "files/others/cat.png").body("x").send());
        refused(404, request("GET", "models/2").send());
        refused(404, request("GET", "models/x").send());
        refused(404, request("GET", "nothing").send());
        refused(404, request("GET", "jobs/1/page.html").send());
        refused(405, request("PUT", "state").send());
        for (String asked : List.of(
                "",
                "[]",
                "{",
                "null",
                "{}",
                "{\"action\":\"clib\",\"model\":1}",
                "{\"action\":\"diff\",\"model\":1,\"second\":1}",
                "{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"files\"}}",
                "{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"typed\",\"text\":\"/etc/passwd\"}}",
                "{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"typed\",\"text\":\"[/etc/x.npy]\"}}",
                "{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"typed\",\"text\":\"[[[\"}}",
                "{\"action\":\"quantize\",\"model\":1}",
                "{\"action\":\"convert\",\"model\":1,\"inputs\":{\"kind\":\"own\"},\"form\":\"../x\"}",
                "{\"action\":\"convert\",\"model\":1,\"inputs\":{\"kind\":\"own\"},\"options\":{\"--android\":\"1\"}}",
                "{\"action\":\"convert\",\"model\":1,\"inputs\":{\"kind\":\"own\"},\"options\":{\"--nhwc\":\"x\"}}",
                "{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"own\"},\"options\":{\"--top\":\"1\\n2\"}}")) {
            refused(400, request("POST", "jobs").body(asked).send());
        }
        refused(413, request("POST", "jobs").body(" ".repeat(300_000)).send());
        refused(
                404,
                request("POST", "jobs")
                        .body("{\"action\":\"inspect\",\"model\":7}")
                        .send());
    }

    @Test
    void commandsHaveTheFilesOfTheWorkspaceAndKnownOptionsAlone() throws Exception {
        request("PUT", "models/net.pt").body("model").send();
        request("PUT", "files/inputs/cat.png").body("cat").send();
        request("PUT", "files/inputs/labels.txt").body("cat").send();
        JsonNode run = done("{\"action\":\"run\",\"model\":1,\"inputs\":{\"kind\":\"files\"},"
                + "\"options\":{\"--top\":\"3\",\"--crop\":\"8x8\",\"--output\":\"/tmp/x\","
                + "\"--labels\":\"/etc/passwd\"}}");
        assertEquals(
                "torch-nnapi run net.pt --top=3 --crop=8x8 --input=inputs --labels=inputs/labels.txt "
                        + "--json=report.json",
                run.get("command").asText());
        JsonNode convert = done("{\"action\":\"convert\",\"model\":1,\"form\":\"tflite\","
                + "\"inputs\":{\"kind\":\"typed\",\"text\":\"float32[1,3]\\n\\n -1 \"},"
                + "\"options\":{\"--nhwc\":\"true\"}}");
        assertEquals(
                "torch-nnapi convert net.pt --nhwc '--input=float32[1,3]' --input=-1 --to=tflite "
                        + "--output=net-nnapi.tflite --json=report.json",
                convert.get("command").asText());
    }

    @Test
    void downloadsHaveEscapedNamesAndPagesASandbox() throws Exception {
        request("PUT", "models/%22%3E%3Cb%3E%0D%0ASet-Cookie:%201.pt")
                .body("model")
                .send();
        Answer model = request("GET", "models/1").send();
        assertEquals("model", model.text());
        assertTrue(
                model.head().contains("Content-disposition: attachment; filename=\"___b___Set-Cookie_ 1.pt\""),
                model.head());
        assertTrue(model.head().contains("application/octet-stream"), model.head());
        JsonNode job = done("{\"action\":\"inspect\",\"model\":1}");
        assertEquals("done", job.get("state").asText(), job::toString);
        Answer page = request("GET", "jobs/1/page.html").send();
        assertEquals(PAGE, page.text());
        assertTrue(page.head().contains("sandbox allow-scripts; frame-ancestors 'self'"), page.head());
        for (String name : List.of("..%2F..%2Fetc%2Fpasswd", "..", "report.json", "%2e%2e")) {
            refused(404, request("GET", "jobs/1/" + name).send());
        }
        assertEquals(200, request("DELETE", "models/1").send().status());
        refused(404, request("GET", "models/1").send());
    }

    @Test
    void itsUserEndsIt() throws Exception {
        assertEquals(200, request("POST", "end").send().status());
        server.await();
    }
}
