package org.torchnnapi.testkit.nnapi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Devices;

class RandomGraphRunnerTest {
    private static final int GRAPHS = 300;

    @Test
    void fastDeviceComputesWhatTheReferenceDoes() {
        Devices devices = Devices.installed();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int wrong = new RandomGraphRunner(
                        devices, List.of(devices.find("cpu"), devices.reference()), new PrintStream(out))
                .run(1, GRAPHS);
        assertEquals(0, wrong, out.toString());
    }

    @Test
    void graphsHoldEveryOperationAndType() {
        Set<OperationType> operations = new HashSet<>();
        Set<Object> types = new HashSet<>();
        for (int seed = 1; seed <= GRAPHS; seed++) {
            RandomGraph graph = new RandomGraph(seed);
            operations.addAll(graph.operations());
            types.add(graph.model().input(0).type());
        }
        assertEquals(24, operations.size(), operations.toString());
        assertEquals(3, types.size(), types.toString());
    }

    @Test
    void deviceThatIsWrongByOneIsFound() {
        Devices devices = Devices.of(new OffByOne());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        int wrong = new RandomGraphRunner(devices, List.of(devices.find("off-by-one")), new PrintStream(out))
                .run(1, GRAPHS);
        assertEquals(GRAPHS, wrong);
        assertTrue(out.toString().startsWith("WRONG seed 1 on [off-by-one"), out.toString());
    }

    /** The reference device, but for the first element of each first result. */
    private static final class OffByOne implements Driver {
        private final Driver real = new ReferenceDriver();

        @Override
        public String name() {
            return "off-by-one";
        }

        @Override
        public String version() {
            return "1";
        }

        @Override
        public DeviceType type() {
            return DeviceType.OTHER;
        }

        @Override
        public FeatureLevel featureLevel() {
            return real.featureLevel();
        }

        @Override
        public Capabilities capabilities() {
            return real.capabilities();
        }

        @Override
        public List<DeviceRefusal> refusals(Model model) {
            return List.of();
        }

        @Override
        public PreparedModel prepare(Model model, PrepareOptions options) {
            PreparedModel prepared = real.prepare(model, options);
            return new PreparedModel() {
                @Override
                public void execute(ExecutionRequest request) {
                    prepared.execute(request);
                    switch (request.output(0)) {
                        case FloatBuffer floats -> floats.put(0, floats.get(0) + 1);
                        case ByteBuffer bytes -> bytes.put(0, (byte) (bytes.get(0) + 1));
                        default -> throw new AssertionError(request.output(0));
                    }
                }

                @Override
                public void close() {
                    prepared.close();
                }
            };
        }
    }
}
