package org.torchnnapi.api;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.torchnnapi.image.ImagePreprocessing;
import org.torchnnapi.image.Interpolation;
import org.torchnnapi.image.RgbImage;

/** 44 pictures that {@code ci/images/make_golden.py} made, beside what Pillow and torchvision make of them. */
class ImageGoldenTest {
    private static final Pattern RESIZE = Pattern.compile("resize-(\\d+)x(\\d+)(?:-(\\w+))?");
    private static final int DIGITS = 32;

    private static List<String> lines(String name) throws IOException {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(open(name), StandardCharsets.US_ASCII))) {
            return reader.lines().toList();
        }
    }

    private static InputStream open(String name) {
        return ImageGoldenTest.class.getResourceAsStream("images/" + name);
    }

    private static byte[] bytes(String name) throws IOException {
        try (InputStream in = open(name)) {
            return in.readAllBytes();
        }
    }

    @Test
    void bytesArePillowsAndTorchvisions() throws Exception {
        Set<String> pictures = new LinkedHashSet<>();
        List<String> wrong = new ArrayList<>();
        for (String line : lines("golden.txt")) {
            String[] words = line.split(" ");
            pictures.add(words[0]);
            String found;
            try {
                RgbImage result = result(words[1], bytes(words[0]));
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(result.pixels());
                found = result.width() + " " + result.height() + " "
                        + HexFormat.of().formatHex(digest).substring(0, DIGITS);
            } catch (IOException e) {
                found = e.getMessage();
            }
            if (!found.equals(words[2] + " " + words[3] + " " + words[4])) {
                wrong.add(line + ": " + found);
            }
        }
        assertEquals(List.of(), wrong);
        assertEquals(44, pictures.size());
    }

    private static RgbImage result(String step, byte[] file) throws IOException {
        ImageFile reader = ImageFile.reader();
        if (step.equals("upright")) {
            return reader.upright().read(file);
        }
        return preprocessing(step).arrange(reader.read(file));
    }

    private static ImagePreprocessing preprocessing(String step) {
        ImagePreprocessing none = ImagePreprocessing.none();
        Matcher resize = RESIZE.matcher(step);
        if (resize.matches()) {
            String how = resize.group(3) == null ? "bilinear" : resize.group(3);
            return none.withResize(Integer.parseInt(resize.group(1)), Integer.parseInt(resize.group(2)))
                    .withInterpolation(Interpolation.valueOf(how.toUpperCase(Locale.ROOT)));
        }
        return switch (step) {
            case "read" -> none;
            case "imagenet-224" -> ImagePreprocessing.imageNet(224, 224);
            case "imagenet-32" -> ImagePreprocessing.imageNet(32, 32);
            case "shorter-57-bicubic" -> none.withShorterSide(57).withInterpolation(Interpolation.BICUBIC);
            case "shorter-33-crop-48" -> none.withShorterSide(33).withCrop(48, 41);
            case "crop-30x45" -> none.withCrop(30, 45);
            default -> throw new AssertionError(step);
        };
    }

    @Test
    void floatsAreTorchvisions() throws IOException {
        byte[] greys = new byte[3 * 256];
        for (int i = 0; i < greys.length; i++) {
            greys[i] = (byte) (i / 3);
        }
        RgbImage image = new RgbImage(256, 1, greys);
        float[][] found = {
            ImagePreprocessing.none().values(image),
            ImagePreprocessing.imageNet(32, 32).values(image)
        };
        List<String> rows = lines("normalized.txt");
        for (int row = 0; row < 6; row++) {
            String[] words = rows.get(row).split(" ");
            for (int i = 0; i < words.length; i++) {
                assertEquals(Double.parseDouble(words[i]), found[row / 3][row % 3 * 256 + i], 1e-6);
            }
        }
    }
}
