package org.torchnnapi.samples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;

/** The service over HTTP, on the digits sample's test set. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {"model=../digits/digits-none.pt", "management.server.port=0"})
class ServiceTest {
    private static final int IMAGES = 360;
    private static final int HEADER = 128;
    private static final int PIXELS = 64;

    @Value("${local.management.port}")
    private int management;

    @Value("${local.server.port}")
    private int port;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private static byte[] tail(String name, int bytes) throws IOException {
        byte[] all = Files.readAllBytes(Path.of("..", "digits", name));
        assertEquals(HEADER + bytes, all.length, "a .npy file of format 1.0 with a header of 128 bytes");
        return Arrays.copyOfRange(all, HEADER, all.length);
    }

    private static byte[] png(byte[] pixels, int index) throws IOException {
        BufferedImage picture = new BufferedImage(8, 8, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < PIXELS; i++) {
            int grey = Math.round(pixels[index * PIXELS + i] * 255 / 16f);
            picture.setRGB(i % 8, i / 8, grey << 16 | grey << 8 | grey);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(picture, "png", out);
        return out.toByteArray();
    }

    private CompletableFuture<HttpResponse<String>> post(byte[] body) {
        return client.sendAsync(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/classify"))
                        .header("Content-Type", "application/octet-stream")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private String get(int port, String path) throws Exception {
        HttpResponse<String> response = client.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        return response.body();
    }

    @Test
    void classifiesInBatchesAndTellsHowItIs() throws Exception {
        byte[] pixels = tail("digits-test-images.npy", IMAGES * PIXELS);
        byte[] labels = tail("digits-test-labels.npy", IMAGES);
        int right = 0;
        for (int from = 0; from < IMAGES; from += 60) {
            List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
            for (int i = from; i < from + 60; i++) {
                answers.add(post(png(pixels, i)));
            }
            for (int i = 0; i < 60; i++) {
                HttpResponse<String> answer = answers.get(i).get();
                assertEquals(200, answer.statusCode(), answer.body());
                right += answer.body().startsWith("{\"digit\":" + labels[from + i] + ",") ? 1 : 0;
            }
        }
        assertEquals(358, right, "as many as PyTorch classifies rightly, 99.44 %");
        String health = get(management, "/actuator/health");
        assertTrue(health.contains("\"status\":\"UP\""), health);
        assertFalse(
                health.contains("details") || health.contains("components"), "nothing of paths or disks: " + health);
        String metrics = get(management, "/actuator/prometheus");
        double calls = value(metrics, "model_batch_size_count");
        double requests = value(metrics, "model_batch_size_sum");
        assertTrue(requests >= IMAGES && calls < requests, calls + " calls for " + requests + " requests");
        assertTrue(metrics.contains("model_call_seconds_count"));
    }

    @Test
    void whatIsNoPictureIsTheCallersFault() throws Exception {
        HttpResponse<String> answer = post("soup".getBytes()).get();
        assertEquals(400, answer.statusCode());
        assertTrue(answer.body().contains("(expected: BMP, GIF, JPEG, PNG"), answer.body());
    }

    @Test
    void costlyBodiesAreTheCallersFault() throws Exception {
        assertEquals(413, post(new byte[1 << 20]).get().statusCode());
        BufferedImage picture = new BufferedImage(9000, 9000, BufferedImage.TYPE_BYTE_BINARY);
        ByteArrayOutputStream png = new ByteArrayOutputStream();
        ImageIO.write(picture, "png", png);
        HttpResponse<String> large = post(png.toByteArray()).get();
        assertEquals(400, large.statusCode());
        assertTrue(large.body().contains("pixels"), large.body());
        ByteArrayOutputStream jpeg = new ByteArrayOutputStream();
        ImageIO.write(new BufferedImage(64, 64, BufferedImage.TYPE_INT_RGB), "jpeg", jpeg);
        assertEquals(200, post(jpeg.toByteArray()).get().statusCode());
        assertEquals(
                400,
                post(Arrays.copyOf(jpeg.toByteArray(), jpeg.size() - 20)).get().statusCode(),
                "a part of a picture is no digit");
    }

    /** A hundred and twenty that send a byte now and then, and forty good ones beside them. */
    @Test
    void slowClientsStarveNobody() throws Exception {
        byte[] pixels = tail("digits-test-images.npy", IMAGES * PIXELS);
        List<Socket> slow = new ArrayList<>();
        try {
            for (int i = 0; i < 120; i++) {
                Socket socket = new Socket("localhost", port);
                socket.getOutputStream()
                        .write(("POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                                        + "application/octet-stream\r\n"
                                        + "Content-Length: 1000\r\n\r\nx")
                                .getBytes(StandardCharsets.US_ASCII));
                slow.add(socket);
            }
            for (int round = 0; round < 6; round++) {
                List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
                for (int i = 0; i < 40; i++) {
                    answers.add(post(png(pixels, i)));
                }
                for (CompletableFuture<HttpResponse<String>> answer : answers) {
                    assertEquals(200, answer.get().statusCode());
                }
                for (Socket socket : slow) {
                    try {
                        socket.getOutputStream().write('x');
                    } catch (SocketException closed) {
                        // It was let go of.
                    }
                }
            }
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    private static double value(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow();
    }
}
