package org.torchnnapi.driver.android;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.nnapi.driver.CacheFiles;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.ExtensionType;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Execution;
import org.torchnnapi.nnapi.runtime.Memory;
import org.torchnnapi.nnapi.runtime.MemoryDescription;
import org.torchnnapi.nnapi.runtime.PlacementRules;

/** Devices of a system's library with a fault each; those of a whole one run the conformance suites elsewhere. */
class SystemDevicesTest {
    private static final String PAIRS = "com.example.pairs";

    @TempDir
    private static Path folder;

    private static List<Driver> drivers;
    private static Driver old;
    private static SystemLibrary system;

    @BeforeAll
    static void compile() throws IOException, InterruptedException {
        Path library = folder.resolve("libfaulty.so");
        Path older = folder.resolve("libold.so");
        assumeTrue(compiles(library) && compiles(older, "-DOLD"), "no C compiler");
        drivers = SystemDevices.of(library.toString());
        system = SystemLibrary.open(library.toString());
        old = SystemDevices.of(older.toString()).get(0);
        Logger.getLogger("org.torchnnapi.nnapi.runtime").setLevel(Level.OFF);
    }

    private static boolean compiles(Path library, String... options) throws InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("cc", "-shared", "-fPIC", "-o", library.toString(), "src/test/c/faulty.c"));
        command.addAll(List.of(options));
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor() == 0;
        } catch (IOException notInstalled) {
            return false;
        }
    }

    private static Driver driver(String name) {
        return drivers.stream()
                .filter(driver -> driver.name().equals(SystemDevices.PREFIX + name))
                .findFirst()
                .orElseThrow();
    }

    private static float[] run(Driver driver, Model model) {
        // What can be prepared there is placed there, and what then fails is done by the reference device all the same.
        boolean prepares = !driver.name().endsWith("refuses") && !driver.name().endsWith("wrong-code");
        PlacementRules rules = prepares ? PlacementRules.NONE.only(driver.name()) : PlacementRules.NONE;
        try (Compilation compilation = new CompilationBuilder(model)
                .setAvailable(Devices.of(driver))
                .setPlacementRules(rules)
                .setDeviceTimeout(Duration.ofMillis(300))
                .finish()) {
            FloatBuffer out = (FloatBuffer) compilation
                    .run(
                            List.of(FloatBuffer.wrap(new float[] {1, -2, 3})),
                            model.input(0).descriptor().isFullySpecified() ? null : List.of(new int[] {3}))
                    .get(0)
                    .data();
            float[] values = new float[3];
            out.get(0, values);
            return values;
        }
    }

    @Test
    void devicesAreAskedWhatTheyAre() {
        assertEquals(
                List.of(
                        "system/sound",
                        "system/refuses",
                        "system/wrong-code",
                        "system/dies",
                        "system/hangs",
                        "system/lies",
                        "system/remembers"),
                drivers.stream().map(Driver::name).toList());
        Driver sound = driver("sound");
        assertEquals("7", sound.version());
        assertEquals(DeviceType.ACCELERATOR, sound.type());
        assertEquals(FeatureLevel.V1_2, sound.featureLevel());
        assertTrue(sound.capabilities().of(OperandType.TENSOR_FLOAT32).execTime() < 1);
    }

    @Test
    void refusalsAreTheSystems() {
        assertEquals(List.of(), driver("sound").refusals(DoublingClient.doubled(3)));
        List<DeviceRefusal> refusals = driver("refuses").refusals(DoublingClient.doubled(3));
        assertEquals(
                "operation 0: system: ADD (expected: an operation that system/refuses supports)",
                refusals.get(0).toString());
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3));
        int y = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 3));
        builder.addOperation(OperationType.RELU, new int[] {x}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        // Its runtime does not even take the operation into a model.
        assertTrue(driver("sound")
                .refusals(builder.finish())
                .get(0)
                .problem()
                .found()
                .contains("BAD_DATA"));
    }

    @Test
    void whateverTheFaultTheAnswerIsRight() {
        for (Driver driver : drivers) {
            assertArrayEquals(new float[] {2, -4, 6}, run(driver, DoublingClient.doubled(3)), driver.name());
        }
        assertArrayEquals(new float[] {2, -4, 6}, run(driver("lies"), DoublingClient.doubled(0)));
        assertArrayEquals(new float[] {2, -4, 6}, run(driver("sound"), DoublingClient.doubled(0)));
    }

    @Test
    void faultsAreTypedErrorsWhereNoOtherDeviceMayHelp() {
        for (String name : List.of("wrong-code", "dies")) {
            Devices devices = Devices.of(driver(name));
            NnapiException e = assertThrows(NnapiException.class, () -> {
                try (Compilation compilation = new CompilationBuilder(DoublingClient.doubled(3))
                        .setAvailable(devices)
                        .setDevices(List.of(devices.find(SystemDevices.PREFIX + name)))
                        .finish()) {
                    compilation.run(List.of(FloatBuffer.wrap(new float[3])), null);
                }
            });
            assertEquals(
                    name.equals("dies") ? ResultCode.DEAD_OBJECT : ResultCode.OP_FAILED,
                    e.resultCode(),
                    e.getMessage());
        }
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> SystemDevices.of(folder.resolve("none.so").toString()));
        assertEquals(ResultCode.UNAVAILABLE_DEVICE, e.resultCode());
        assertTrue(e.getMessage().contains("none.so"), e.getMessage());
    }

    @Test
    void olderReleasesAreOneDeviceThatIsNotAsked() {
        assertEquals("system/default", old.name());
        assertEquals(DeviceType.UNKNOWN, old.type());
        assertEquals(FeatureLevel.V1_0, old.featureLevel());
        assertEquals(List.of(), old.refusals(DoublingClient.doubled(3)));
        assertArrayEquals(new float[] {2, -4, 6}, run(old, DoublingClient.doubled(3)));
        assertNull(old.importMemory(0, 0, ByteBuffer.allocateDirect(1)));
    }

    private static Compilation remembering(Model model) {
        return new CompilationBuilder(model)
                .setAvailable(Devices.of(driver("remembers")))
                .setPlacementRules(PlacementRules.NONE.only("system/remembers"))
                .finish();
    }

    private static int memoryUses() {
        return (int) system.call("_memoryUses");
    }

    private static void compute(Compilation compilation, Memory in, long inAt, Memory out, long outAt, long length) {
        try (Execution execution = compilation.createExecution()) {
            execution.setInputFromMemory(0, in, inAt, length);
            execution.setOutputFromMemory(0, out, outAt, length);
            execution.compute();
        }
    }

    /** Memory that the system chooses for roles is filled and read by its copies, and else stays where it is. */
    @Test
    void memoryForRolesIsTheSystems() {
        try (Compilation compilation = remembering(DoublingClient.doubled(3))) {
            Memory in =
                    new MemoryDescription().addInputRole(compilation, 0, 0.5f).createMemory();
            Memory between = new MemoryDescription()
                    .addInputRole(compilation, 0, 0.5f)
                    .addOutputRole(compilation, 0, 0.5f)
                    .createMemory();
            Memory out =
                    new MemoryDescription().addOutputRole(compilation, 0, 0.5f).createMemory();
            ByteBuffer bytes = ByteBuffer.allocate(12)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putFloat(0, 1)
                    .putFloat(4, -2)
                    .putFloat(8, 3);
            int before = memoryUses();
            Memory.copy(Memory.ofBuffer(bytes), in);
            assertEquals(100, memoryUses() - before, "one copy in");
            compute(compilation, in, 0, between, 0, 0);
            compute(compilation, between, 0, out, 0, 0);
            assertEquals(104, memoryUses() - before, "both executions in place");
            Memory.copy(out, Memory.ofBuffer(bytes));
            assertEquals(204, memoryUses() - before, "one copy out");
            assertEquals(4, bytes.getFloat(0));
            assertEquals(-8, bytes.getFloat(4));
            assertEquals(12, bytes.getFloat(8));
            for (Memory memory : List.of(in, between, out)) {
                memory.close();
            }
            // What the system refuses, here a frequency that it does not like, is the runtime's memory.
            try (Memory plain =
                    new MemoryDescription().addInputRole(compilation, 0, 1).createMemory()) {
                Memory.copy(Memory.ofBuffer(bytes), plain);
                assertEquals(204, memoryUses() - before);
            }
        }
    }

    /** Parts of a descriptor's memory are used in place, and copied by the system to what it chose. */
    @Test
    void descriptorsAreHandedToTheSystem() {
        try (Compilation compilation = remembering(DoublingClient.doubled(3));
                SharedBytes shared = new SharedBytes(4096 + 28)) {
            ByteBuffer bytes = shared.bytes().order(ByteOrder.LITTLE_ENDIAN);
            bytes.putFloat(4100, 1).putFloat(4104, -2).putFloat(4108, 3);
            ByteBuffer mapped = bytes.duplicate().position(4096);
            try (Memory memory = Memory.ofDescriptor(shared.descriptor(), 4096, mapped)) {
                int before = memoryUses();
                compute(compilation, memory, 4, memory, 16, 12);
                assertEquals(2, memoryUses() - before);
                assertEquals(-4, bytes.getFloat(4096 + 20));
                assertEquals(6, bytes.getFloat(4096 + 24));
            }
            try (Memory source = Memory.ofDescriptor(
                            shared.descriptor(),
                            4100,
                            bytes.duplicate().position(4100).limit(4112));
                    Memory in = new MemoryDescription()
                            .addInputRole(compilation, 0, 0.5f)
                            .createMemory();
                    Memory out = new MemoryDescription()
                            .addOutputRole(compilation, 0, 0.5f)
                            .createMemory()) {
                int before = memoryUses();
                Memory.copy(source, in);
                compute(compilation, in, 0, out, 0, 0);
                bytes.putFloat(4104, 0);
                Memory.copy(out, source);
                assertEquals(202, memoryUses() - before);
                assertEquals(-4, bytes.getFloat(4104));
            }
            // A part of unknown size: what the output's place has room for.
            try (Compilation open = remembering(DoublingClient.doubled(0));
                    Memory memory = Memory.ofDescriptor(shared.descriptor(), 4096, mapped);
                    Execution execution = open.createExecution()) {
                execution.setInputFromMemory(0, memory, 4, 8, 2);
                execution.setOutputFromMemory(0, memory, 16, 12);
                execution.compute();
                assertArrayEquals(new int[] {2}, execution.outputDimensions(0));
                assertEquals(-8, bytes.getFloat(4096 + 20));
            }
        }
    }

    /** Pairs of floats, doubled by an operation of an extension; the size may be 0 for unknown. */
    private static Model doubledPairs(int size, int operation, byte... data) {
        ModelBuilder builder = new ModelBuilder();
        ExtensionType pair = new ExtensionType(PAIRS, 7, true, 2 * Float.BYTES);
        int x = builder.addOperand(OperandDescriptor.ofExtension(pair, size));
        builder.setOperandExtensionData(x, data);
        int y = builder.addOperand(OperandDescriptor.ofExtension(pair, size));
        builder.addOperation(new ExtensionCode(PAIRS, operation), new int[] {x}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        return builder.finish();
    }

    private static Compilation compiled(Model model) {
        return new CompilationBuilder(model)
                .setAvailable(Devices.of(drivers.toArray(new Driver[0])))
                .finish();
    }

    /** The system is asked by name, and numbers the extension's types and operations; only the sound device has it. */
    @Test
    void extensionsThatTheSystemAnnouncesGoThere() {
        assertTrue(driver("sound").hasExtension(PAIRS));
        assertFalse(driver("lies").hasExtension(PAIRS));
        assertFalse(driver("sound").hasExtension("com.example.others"));
        assertFalse(old.hasExtension(PAIRS));
        for (int size : new int[] {2, 0}) {
            try (Compilation compilation = compiled(doubledPairs(size, 0, (byte) 42))) {
                assertEquals(
                        "system/sound",
                        compilation.placement().operations().get(0).device());
                ByteBuffer pairs = ByteBuffer.allocate(4 * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
                pairs.putFloat(0, 1).putFloat(4, -2).putFloat(8, 3).putFloat(12, 4);
                Compilation.Output out = compilation
                        .run(List.of(pairs), size == 0 ? List.of(new int[] {2}) : null)
                        .get(0);
                ByteBuffer doubled = (ByteBuffer) out.data();
                for (int i = 0; i < 4; i++) {
                    assertEquals(2 * pairs.getFloat(4 * i), doubled.getFloat(4 * i), "float " + i + " of size " + size);
                }
            }
        }
        for (Model refused : List.of(doubledPairs(2, 1, (byte) 42), doubledPairs(2, 0, (byte) 1))) {
            NnapiException e = assertThrows(NnapiException.class, () -> compiled(refused));
            assertTrue(e.getMessage().contains(PAIRS), e.getMessage());
        }
    }

    /**
     * What a caller says by an extension's attributes the system is told: of the compilation a factor, of the execution
     * what is added.
     */
    @Test
    void extensionsAttributesAreHandedOn() {
        List<Device> only = List.of(Devices.of(driver("sound")).find("system/sound"));
        CompilationBuilder builder = new CompilationBuilder(doubledPairs(1, 0, (byte) 42)).setDevices(only);
        builder.addExtensionAttribute(new ExtensionCode(PAIRS, 3), new byte[] {5});
        try (Compilation compilation = builder.finish();
                Execution execution = compilation.createExecution()) {
            ByteBuffer out = ByteBuffer.allocate(2 * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            execution.setInput(
                    0,
                    ByteBuffer.allocate(2 * Float.BYTES)
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .putFloat(0, 1)
                            .putFloat(4, -2));
            execution.setOutput(0, out);
            execution.addExtensionAttribute(new ExtensionCode(PAIRS, 4), new byte[] {3});
            execution.compute();
            assertEquals(13, out.getFloat(0));
            assertEquals(-17, out.getFloat(4));
        }
        CompilationBuilder unknown = new CompilationBuilder(doubledPairs(1, 0, (byte) 42)).setDevices(only);
        unknown.addExtensionAttribute(new ExtensionCode(PAIRS, 9), null);
        assertEquals(
                ResultCode.BAD_DATA,
                assertThrows(NnapiException.class, unknown::finish).resultCode());
    }

    /** What vendors meant before there were extensions only their device can say. */
    @Test
    void vendorsOldOperationsAreAskedAbout() {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        int y = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        builder.addOperation(OperationType.OEM_OPERATION, new int[] {x}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        Model model = builder.finish();
        assertEquals(List.of(), driver("sound").refusals(model));
        assertEquals(
                "operation 0: system: OEM_OPERATION (expected: an operation that system/refuses supports)",
                driver("refuses").refusals(model).get(0).toString());
        try (Compilation compilation = new CompilationBuilder(model)
                .setAvailable(Devices.of(driver("sound")))
                .finish()) {
            ByteBuffer in =
                    ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putFloat(0, 21);
            assertEquals(
                    42,
                    ((ByteBuffer) compilation.run(List.of(in), null).get(0).data())
                            .order(ByteOrder.LITTLE_ENDIAN)
                            .getFloat(0));
        }
        assertThrows(
                NnapiException.class,
                () -> new CompilationBuilder(model)
                        .setAvailable(Devices.of(old))
                        .finish());
    }

    /**
     * The system's files survive, and what is none of them is told in a line, no failure: the model is compiled as
     * without.
     */
    @Test
    void cacheDataAreCheckedAndDamagedOnesTold() {
        Driver caches = driver("sound");
        assertTrue(caches.keepsCacheData());
        assertFalse(old.keepsCacheData());
        try (PreparedModel prepared = caches.prepare(DoublingClient.doubled(3), PrepareOptions.DEFAULT)) {
            assertFalse(prepared.isFromCache());
            assertNull(prepared.cacheData());
        }
        int before = compiledSoFar(cacheData(caches));
        byte[] data = cacheData(caches);
        assertEquals(1, compiledSoFar(data) - before, "a model is compiled once, its data kept or not");
        List<String> lines = linesOf(() -> assertTrue(isPreparedFromCache(caches, data)));
        assertEquals(List.of(), lines);
        for (int length = 0; length < data.length; length++) {
            byte[] cut = Arrays.copyOf(data, length);
            lines = linesOf(() -> assertFalse(isPreparedFromCache(caches, cut)));
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(
                    lines.get(0).startsWith("device system/sound: cache data: ")
                            && lines.get(0).endsWith("; the model is compiled anew"),
                    lines.get(0));
        }
        assertEquals(32, CacheFolder.TOKEN.length());
    }

    private static byte[] cacheData(Driver driver) {
        PrepareOptions options =
                new PrepareOptions(Preference.FAST_SINGLE_ANSWER, Priority.MEDIUM, new ExecutionControl(), null, true);
        try (PreparedModel prepared = driver.prepare(DoublingClient.doubled(3), options)) {
            assertFalse(prepared.isFromCache());
            return prepared.cacheData();
        }
    }

    private static int compiledSoFar(byte[] data) {
        return Integer.parseInt(new String(CacheFiles.unpack(data).get("kept"), StandardCharsets.US_ASCII));
    }

    private static boolean isPreparedFromCache(Driver driver, byte[] data) {
        try (PreparedModel prepared = driver.prepare(
                DoublingClient.doubled(3),
                new PrepareOptions(Preference.FAST_SINGLE_ANSWER, Priority.MEDIUM, new ExecutionControl(), data))) {
            return prepared.isFromCache();
        }
    }

    private static List<String> linesOf(Runnable action) {
        List<String> lines = new ArrayList<>();
        Logger log = Logger.getLogger(SystemProgram.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {
                // Nothing is held back.
            }

            @Override
            public void close() {
                // Nothing is open.
            }
        };
        log.addHandler(handler);
        log.setUseParentHandlers(false);
        try {
            action.run();
        } finally {
            log.removeHandler(handler);
            log.setUseParentHandlers(true);
        }
        return lines;
    }
}
