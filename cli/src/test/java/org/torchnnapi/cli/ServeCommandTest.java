package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.cli.serve.Limits;
import org.torchnnapi.cli.serve.PageServer;
import org.torchnnapi.cli.serve.RawRequest;
import org.torchnnapi.cli.serve.RawRequest.Answer;

/** What the page asks for, done by the commands. */
@Timeout(300)
class ServeCommandTest {
    private static final String OWN = "\"inputs\":{\"kind\":\"own\"}";

    @TempDir
    private Path folder;

    private PageServer server;

    @BeforeEach
    void start() throws IOException {
        server = new PageServer(0, Limits.of(1 << 20, Duration.ofSeconds(200)), ServeCommand.commands());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private RawRequest request(String method, String path) {
        return new RawRequest(server.address(), method, path);
    }

    private JsonNode json(Answer answer) throws IOException {
        return new ObjectMapper().readTree(answer.body());
    }

    private int upload(Path model) throws IOException {
        Answer kept = request("PUT", "models/" + model.getFileName())
                .body(Files.readAllBytes(model))
                .send();
        assertEquals(200, kept.status(), kept.text());
        return json(kept).get("id").asInt();
    }

    private JsonNode job(int id) throws IOException {
        return json(request("GET", "jobs/" + id).send());
    }

    private int begin(String action, int model, String more) throws IOException {
        Answer begun = request("POST", "jobs")
                .body("{\"action\":\"" + action + "\",\"model\":" + model + (more.isEmpty() ? "" : "," + more) + "}")
                .send();
        assertEquals(202, begun.status(), begun.text());
        return json(begun).get("id").asInt();
    }

    private JsonNode over(int id) throws IOException, InterruptedException {
        JsonNode job = job(id);
        while (List.of("waiting", "running").contains(job.get("state").asText())) {
            Thread.sleep(20);
            job = job(id);
        }
        return job;
    }

    private JsonNode done(String action, int model, String more) throws IOException, InterruptedException {
        JsonNode job = over(begin(action, model, more));
        assertEquals("done", job.get("state").asText(), job.get("text").asText());
        return job;
    }

    private static byte[] png(int shade) throws IOException {
        BufferedImage image = new BufferedImage(32, 32, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 32 * 32; i++) {
            image.setRGB(i % 32, i / 32, (i * shade % 256) * 0x10101);
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return out.toByteArray();
    }

    @Test
    void aModelIsSeenConvertedComparedAndSaved() throws Exception {
        int model = upload(DigitsFiles.FOLDER.resolve("digits-core.pt"));
        JsonNode seen = done("inspect", model, "");
        assertTrue(request("GET", "jobs/" + seen.get("id") + "/page.html")
                .send()
                .text()
                .startsWith("<!DOCTYPE html>"));
        JsonNode converted = done("convert", model, OWN + ",\"options\":{\"--mode\":\"core\"}");
        assertEquals(
                23, converted.get("report").get("coverage").get("operators").asInt());
        JsonNode file = converted.get("files").get(0);
        assertEquals("digits-core-nnapi.pt", file.get("name").asText());
        Answer saved = request("GET", "models/" + file.get("model")).send();
        Run here = Run.of(
                "convert",
                DigitsFiles.FOLDER.resolve("digits-core.pt"),
                "--mode",
                "core",
                "-o",
                folder.resolve("digits-core-nnapi.pt"));
        assertEquals(0, here.code(), here.err());
        assertArrayEquals(
                Files.readAllBytes(folder.resolve("digits-core-nnapi.pt")), saved.body(), "the command's own file");
        JsonNode compared = done("diff", model, "\"second\":" + file.get("model") + "," + OWN);
        assertTrue(
                compared.get("report").get("layers").size() > 0
                        && compared.get("page").asBoolean(),
                compared::toString);
        JsonNode answer = done(
                "run", file.get("model").asInt(), "\"inputs\":{\"kind\":\"typed\",\"text\":\"float32[1,3,32,32]\"}");
        assertEquals("answer0.npy", answer.get("files").get(0).get("name").asText());
    }

    @Test
    void aModelIsOptimizedAndWrittenForOthers() throws Exception {
        Path digits = DigitsFiles.FOLDER.resolve("digits-cpu.pt");
        int model = upload(digits);
        JsonNode optimized = done("optimize", model, "\"form\":\"ptl\",\"options\":{\"--target\":\"pytorch-1.10\"}");
        assertTrue(
                optimized.get("report").get("convolutionsPacked").asInt() > 0
                        && optimized.get("command").asText().contains("--target=pytorch-1.10"),
                optimized::toString);
        made(optimized, "digits-cpu-mobile.ptl", "optimize", digits, "--target", "pytorch-1.10");
        made(done("save", model, "\"form\":\"ptl\""), "digits-cpu.ptl", "save", digits);
        made(done("save", model, "\"form\":\"pt\""), "digits-cpu-saved.pt", "save", digits);
        String typed = "\"inputs\":{\"kind\":\"typed\",\"text\":\"float32[1,3,32,32]\"}";
        JsonNode program = done("save", model, "\"form\":\"pt2\"," + typed);
        made(program, "digits-cpu.pt2", "save", digits, "-i", "float32[1,3,32,32]");
        done("run", program.get("files").get(0).get("model").asInt(), typed);
        Answer refused = request("POST", "jobs")
                .body("{\"action\":\"optimize\",\"model\":" + model + ",\"form\":\"pt2\"}")
                .send();
        assertEquals(400, refused.status());
        assertTrue(refused.text().contains("(expected: pt, ptl)"), refused::text);
    }

    /** That a job wrote the file that the command writes. */
    private void made(JsonNode job, String name, Object... words) throws IOException {
        JsonNode file = job.get("files").get(0);
        assertEquals(name, file.get("name").asText());
        List<Object> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("-o", folder.resolve(name)));
        Run here = Run.of(all.toArray());
        assertEquals(0, here.code(), here.err());
        assertArrayEquals(
                Files.readAllBytes(folder.resolve(name)),
                request("GET", "models/" + file.get("model")).send().body(),
                name);
    }

    @Test
    void picturesAreAnsweredWithNamesAndCalibrate() throws Exception {
        int model = upload(DigitsFiles.FOLDER.resolve("digits-cpu.pt"));
        String prepared = ",\"options\":{\"--image-size\":\"32x32\",\"--resize\":\"32x32\"";
        for (int i = 1; i < 4; i++) {
            request("PUT", "files/inputs/" + i + ".png").body(png(i)).send();
            request("PUT", "files/calibration/" + i + ".png").body(png(i)).send();
        }
        request("PUT", "files/inputs/damaged.png")
                .body(Arrays.copyOf(png(1), 60))
                .send();
        request("PUT", "files/inputs/names.txt")
                .body("zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine")
                .send();
        JsonNode run = done("run", model, "\"inputs\":{\"kind\":\"files\"}" + prepared + ",\"--top\":\"2\"}");
        JsonNode pictures = run.get("report").get("pictures");
        assertEquals(3, pictures.size());
        assertEquals(2, pictures.get(0).get("best").size());
        assertFalse(pictures.get(0).get("best").get(0).get("label").asText().isEmpty());
        assertEquals(1, run.get("report").get("unreadable").size());
        JsonNode quantized = done("quantize", model, "\"calibration\":\"files\"" + prepared + "}");
        assertEquals(3, quantized.get("report").get("calibrationInputs").asInt());
        assertEquals(
                "digits-cpu-quantized.pt",
                quantized.get("files").get(0).get("name").asText());
        JsonNode converted = done("convert", model, "\"inputs\":{\"kind\":\"files\"}" + prepared + "}");
        assertTrue(converted.get("text").asText().contains("float32[1, 3, 32, 32]"), converted.get("text")::asText);
    }

    @Test
    void errorsAreWhatTheCommandSays() throws Exception {
        Path net = folder.resolve("net.pt");
        TinyNet.write(net, "torch.mm(x, x)");
        int model = upload(net);
        Run said = Run.of("run", net, "--input", "float32[2]");
        JsonNode job = over(begin("run", model, "\"inputs\":{\"kind\":\"typed\",\"text\":\"float32[2]\"}"));
        assertEquals("failed", job.get("state").asText());
        assertEquals(said.err(), job.get("text").asText());
        JsonNode usage = over(begin("run", model, OWN + ",\"options\":{\"--top\":\"many\"}"));
        assertTrue(usage.get("text").asText().startsWith("--top: many (expected: a whole number)"), usage::toString);
    }

    @Test
    void damagedFilesEndInOneError() throws Exception {
        byte[] whole = Files.readAllBytes(DigitsFiles.FOLDER.resolve("digits-cpu.ptl"));
        Random random = new Random(5);
        for (int i = 0; i < 24; i++) {
            byte[] damaged = i % 2 == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int j = 0; j < 40 && damaged.length > 0; j++) {
                damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            }
            Path file = Files.write(
                    folder.resolve("net" + List.of(".pt", ".ptl", ".pt2").get(i % 3)), damaged);
            int model = upload(file);
            JsonNode job = over(begin("inspect", model, ""));
            assertFalse(job.get("text").asText().contains("\tat "), job.get("text")::asText);
            assertTrue(
                    job.get("state").asText().equals("done")
                            || !job.get("text").asText().isBlank(),
                    job::toString);
            assertEquals(200, request("DELETE", "models/" + model).send().status());
        }
    }

    @Test
    void workIsCancelled() throws Exception {
        int model = upload(DigitsFiles.FOLDER.resolve("digits-cpu.pt"));
        int id = begin(
                "profile",
                model,
                "\"inputs\":{\"kind\":\"typed\",\"text\":\"float32[1,3,32,32]\"},"
                        + "\"options\":{\"--iter\":\"1000000000\"}");
        JsonNode job = job(id);
        while (job.get("done").asLong() < 3) {
            assertTrue(List.of("waiting", "running").contains(job.get("state").asText()), job::toString);
            Thread.sleep(20);
            job = job(id);
        }
        assertEquals(200, request("DELETE", "jobs/" + id).send().status());
        assertEquals("cancelled", over(id).get("state").asText());
        done("inspect", model, "");
    }

    @Test
    void wrongNumbersAreRefused() {
        assertEquals(
                "port: 70000 (expected: from 0 to 65535)",
                Run.of("serve", "--port", "70000").err().strip());
        assertEquals(1, Run.of("serve", "--upload-limit", "0").code());
        assertEquals(
                "file: net.onnx (expected: one that ends in .pt, .ptl, .pt2)",
                Run.of("serve", "--no-browser", write("net.onnx")).err().strip());
    }

    private Path write(String name) {
        try {
            return Files.write(folder.resolve(name), new byte[1]);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
