package org.torchnnapi.converter.deployed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a model converts to, as docs/deployed.csv records it: a change of the converter shows there what it changed.
 *
 * @param operators how many of its operators NNAPI computes, of {@code allOperators}; 0 of 0 is all of them
 * @param operations NNAPI operations, of which {@code transposes} only order elements anew
 * @param bytes of the written file
 * @param rest kinds of the nodes that stay TorchScript, by spaces
 */
record DeployedGolden(
        String model,
        int segments,
        int operators,
        int allOperators,
        int operations,
        int transposes,
        int bytes,
        String rest) {
    static final Path FILE = Path.of("..", "docs", "deployed.csv");
    private static final String HEADER =
            "model,segments,operators on NNAPI,operators,NNAPI operations,transposes,bytes,what stays TorchScript";

    static Map<String, DeployedGolden> read(Path file) throws IOException {
        Map<String, DeployedGolden> all = new TreeMap<>();
        for (String line : Files.readAllLines(file)) {
            String[] f = line.split(",", -1);
            if (!line.equals(HEADER)) {
                all.put(
                        f[0],
                        new DeployedGolden(
                                f[0],
                                Integer.parseInt(f[1]),
                                Integer.parseInt(f[2]),
                                Integer.parseInt(f[3]),
                                Integer.parseInt(f[4]),
                                Integer.parseInt(f[5]),
                                Integer.parseInt(f[6]),
                                f[7]));
            }
        }
        return all;
    }

    static void write(Path file, Collection<DeployedGolden> all) throws IOException {
        StringBuilder text = new StringBuilder(HEADER).append('\n');
        all.forEach(golden -> text.append(golden.row()).append('\n'));
        Files.writeString(file, text);
    }

    private String row() {
        return String.join(
                ",",
                model,
                String.valueOf(segments),
                String.valueOf(operators),
                String.valueOf(allOperators),
                String.valueOf(operations),
                String.valueOf(transposes),
                String.valueOf(bytes),
                rest);
    }
}
