package org.torchnnapi.c;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
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
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Placement;

/** Models with operations and types of an extension, on devices of which one announces it. */
class ExtensionTest {
    private final Driver series = new SeriesDriver();

    /**
     * {@code floor(reals(series(count)) + reals(series(count)))}: the extension's operations and the specification's in
     * one model.
     */
    private static Model model(int size) {
        ModelBuilder builder = new ModelBuilder();
        int count = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.COUNT));
        int numbers = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.NUMBERS, size));
        builder.setOperandExtensionData(numbers, new byte[] {3});
        int reals = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, size));
        builder.addOperation(SeriesDriver.SERIES, new int[] {count}, new int[] {numbers});
        builder.addOperation(SeriesDriver.REALS, new int[] {numbers}, new int[] {reals});
        builder.addOperation(OperationType.ADD, new int[] {reals, reals, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {count}, new int[] {sum, numbers});
        return builder.finish();
    }

    private static ByteBuffer count(long count) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(0, count);
    }

    @Test
    void theDeviceThatAnnouncesItTakesItsOperationsAndOthersTheRest() {
        try (Compilation compilation = new CompilationBuilder(model(4))
                .setAvailable(Devices.of(new ReferenceDriver(), series))
                .finish()) {
            assertEquals(
                    List.of("series", "series", "reference"),
                    compilation.placement().operations().stream()
                            .map(Placement.OperationPlacement::device)
                            .toList());
            List<Compilation.Output> outputs = compilation.run(List.of(count(4)), null);
            float[] sums = new float[4];
            ((FloatBuffer) outputs.get(0).data()).get(0, sums);
            assertArrayEquals(new float[] {0, 6, 12, 18}, sums);
            ByteBuffer numbers = (ByteBuffer) outputs.get(1).data();
            assertEquals(4 * Long.BYTES, numbers.capacity());
            assertEquals(9, numbers.getLong(3 * Long.BYTES));
        }
    }

    /** What the extension's operations give has a size that only an execution tells. */
    @Test
    void sizesMayBeOpen() {
        try (Compilation compilation = new CompilationBuilder(model(0))
                .setAvailable(Devices.of(new ReferenceDriver(), series))
                .finish()) {
            for (int size : new int[] {5, 2, 70}) {
                List<Compilation.Output> outputs = compilation.run(List.of(count(size)), null);
                assertArrayEquals(new int[] {size}, outputs.get(0).dimensions());
                assertEquals(6f * (size - 1), ((FloatBuffer) outputs.get(0).data()).get(size - 1));
                assertEquals(3L * (size - 1), ((ByteBuffer) outputs.get(1).data()).getLong((size - 1) * Long.BYTES));
            }
        }
    }

    @Test
    void withoutTheDeviceItIsRefusedAndTheExtensionNamed() {
        NnapiException refused = assertThrows(
                NnapiException.class,
                () -> new CompilationBuilder(model(4))
                        .setAvailable(Devices.of(new ReferenceDriver()))
                        .finish());
        assertEquals(ResultCode.BAD_DATA, refused.resultCode());
        assertTrue(
                refused.getMessage()
                        .contains("extension: com.example.series (expected: none, the device has no extensions)"),
                refused.getMessage());
        List<String> answers =
                Devices.of(new ReferenceDriver()).find("reference").supportedOperations(model(4));
        assertEquals(
                Arrays.asList(false, false, true),
                answers.stream().map(answer -> answer == null).toList());
        assertTrue(Devices.of(series).find("series").hasExtension(SeriesDriver.EXTENSION));
        assertTrue(!Devices.of(series).find("series").hasExtension("com.example"));
    }

    @Test
    void aDeviceMayRefuseOperationsOfItsOwnExtension() {
        ModelBuilder builder = new ModelBuilder();
        int count = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.COUNT));
        int numbers = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.NUMBERS, 4));
        builder.addOperation(SeriesDriver.SERIES, new int[] {count, count}, new int[] {numbers});
        builder.identifyInputsAndOutputs(new int[] {count}, new int[] {numbers});
        Model model = builder.finish();
        assertEquals(FeatureLevel.V1_2, model.featureLevelNeed().level());
        NnapiException refused = assertThrows(
                NnapiException.class,
                () -> new CompilationBuilder(model)
                        .setAvailable(Devices.of(series))
                        .finish());
        assertTrue(
                refused.getMessage().contains("com.example.series.0 of 2 inputs (expected: SERIES or REALS of one)"),
                refused.getMessage());
    }

    @Test
    void operationsOfTheSpecificationDoNotTakeItsTypes() {
        ModelBuilder builder = new ModelBuilder();
        int in = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.NUMBERS, 4));
        int out = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.NUMBERS, 4));
        assertThrows(
                NnapiException.class, () -> builder.addOperation(OperationType.RELU, new int[] {in}, new int[] {out}));
        assertThrows(
                NnapiException.class, () -> builder.addOperation(OperationType.CAST, new int[] {in}, new int[] {out}));
    }

    @Test
    void sizesAndDataAreChecked() {
        ModelBuilder builder = new ModelBuilder();
        int scalar = builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.COUNT));
        int number = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        assertEquals(
                ResultCode.BAD_DATA,
                assertThrows(NnapiException.class, () -> builder.setOperandValue(scalar, ByteBuffer.allocate(4)))
                        .resultCode());
        builder.setOperandValue(scalar, count(2));
        assertThrows(NnapiException.class, () -> builder.setOperandExtensionData(number, new byte[1]));
        assertThrows(
                NnapiException.class, () -> builder.addOperand(OperandDescriptor.ofExtension(SeriesDriver.COUNT, 4)));
        assertThrows(
                NnapiException.class,
                () -> new OperandDescriptor(OperandType.EXTENSION_TENSOR, new int[] {4}, 0, 0, null));
        assertThrows(NnapiException.class, () -> new ExtensionType("", 0, true, 1));
        assertThrows(NnapiException.class, () -> new ExtensionType("com.example", 1 << 16, true, 1));
        assertThrows(NnapiException.class, () -> new ExtensionType("com.example", 0, true, 0));
        assertThrows(NnapiException.class, () -> new Extension("com.other", List.of(SeriesDriver.COUNT)));
    }

    /** From before there were extensions: any device may refuse them, and none here knows them. */
    @Test
    void vendorsOldOperationsNeedADeviceThatAnnouncesThem() {
        ModelBuilder builder = new ModelBuilder();
        int in = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        int some = builder.addOperand(OperandDescriptor.scalar(OperandType.OEM_SCALAR));
        builder.setOperandValue(some, ByteBuffer.allocate(13));
        int out = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_OEM_BYTE, 4));
        builder.addOperation(OperationType.OEM_OPERATION, new int[] {in, some}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {in}, new int[] {out});
        Model model = builder.finish();
        NnapiException refused = assertThrows(
                NnapiException.class,
                () -> new CompilationBuilder(model)
                        .setAvailable(Devices.of(new ReferenceDriver(), series))
                        .finish());
        assertTrue(refused.getMessage().contains("extension: oem (expected: "), refused.getMessage());
    }
}
