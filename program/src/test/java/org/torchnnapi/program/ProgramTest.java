package org.torchnnapi.program;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.op.ConvolutionOp;

/** Random graphs of images against the plain twin: fusion, layouts and shared memory must not show. */
class ProgramTest {
    private static final int GRAPHS = 150;
    private static final int FEW = 5;

    @ParameterizedTest
    @EnumSource(
            value = ImageLayout.class,
            names = {"NCHW", "NHWC"})
    void floatsAgreeWithThePlainTwin(ImageLayout order) {
        List<String> chains = agree(order, seed -> Element.FLOAT32);
        assertTrue(
                chains.size() >= FEW || !PassesTest.provider("float kernels: ").startsWith("native"), chains::toString);
    }

    @ParameterizedTest
    @EnumSource(
            value = ImageLayout.class,
            names = {"NCHW", "NHWC"})
    void bytesAgreeWithThePlainTwin(ImageLayout order) {
        List<String> chains = agree(order, seed -> seed % 2 == 0 ? Element.UINT8 : Element.INT8);
        boolean enough = chains.size() >= FEW && chains.stream().anyMatch(label -> label.contains(" and sum"));
        assertTrue(enough || !PassesTest.provider("int8 kernels: ").startsWith("native"), chains::toString);
    }

    /** The chains among the steps, which must be as many as can show what is wrong with them. */
    private static List<String> agree(ImageLayout order, IntFunction<Element> element) {
        List<String> chains = new ArrayList<>();
        for (int seed = 0; seed < GRAPHS; seed++) {
            Program program = Plain.compare(new RandomGraph(seed, order, element.apply(seed)).build(8), seed);
            for (int i = 0; i < program.steps().size(); i++) {
                if (isChain(program.labels().get(i), program.steps().get(i))) {
                    chains.add(program.labels().get(i));
                }
            }
        }
        return chains;
    }

    /**
     * Of three convolutions, row by row: whole images one after the other, by kernels that do not fuse, are one unit.
     */
    private static boolean isChain(String label, Step step) {
        return label.startsWith("chain: ")
                && label.substring(0, label.indexOf(" to ")).split(", ").length == 3
                && step.units() > 1;
    }

    @Test
    void asksBetweenSteps() {
        Program program = Program.compile(new RandomGraph(3, ImageLayout.NCHW, Element.FLOAT32).build(5), () -> {});
        Run run = program.newRun();
        Buffer[] in = {FloatBuffer.allocate(program.inputs().get(0).size())};
        Buffer[] out = new Buffer[program.outputs().size()];
        AtomicInteger asked = new AtomicInteger();
        run.execute(in, out, asked::incrementAndGet);
        assertEquals(program.labels().size(), asked.get());
        assertThrows(
                ArithmeticException.class,
                () -> run.execute(in, out, () -> {
                    throw new ArithmeticException();
                }));
    }

    @Test
    void littleWorkIsOneThreads() {
        assertEquals(1, Collections.max(units(ImageLayout.NCHW, 16, 32, 16)));
        assertTrue(Collections.max(units(ImageLayout.NCHW, 64, 128, 56)) > 1);
        assertTrue(Collections.max(units(ImageLayout.NCHW, 8, 8, 112)) > 1);
        assertTrue(Collections.max(units(ImageLayout.NHWC, 8, 8, 112)) > 1);
    }

    @Test
    void manyWeightsAreDividedHoweverFewPixelsThereAre() {
        assertTrue(Collections.max(units(ImageLayout.NCHW, 320, 256, 1)) > 1);
    }

    /** Of the steps that make a convolution 1x1 over a square image. */
    private static List<Integer> units(ImageLayout order, int inputs, int outputs, int side) {
        GraphBuilder graph = new GraphBuilder();
        ConvShape shape = new ConvShape(inputs, side, side, outputs, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1, false, 0, 0);
        ConvolutionOp convolution = new ConvolutionOp(shape, order, new float[inputs * outputs], null, Clamp.NONE);
        ValueType images = order == ImageLayout.NCHW
                ? ValueType.floats(1, inputs, side, side)
                : ValueType.floats(1, side, side, inputs);
        graph.output(graph.add(convolution, graph.input(images, ImageStorage.DECLARED)), ImageStorage.DECLARED);
        return Program.compile(graph.build(), () -> {}).steps().stream()
                .map(Step::units)
                .toList();
    }

    @Test
    void profilesItsSteps() {
        Program program = Program.compile(new RandomGraph(4, ImageLayout.NCHW, Element.FLOAT32).build(5), () -> {});
        Run run = program.newRun();
        assertEquals(0, run.nanos().length);
        run.profile();
        run.execute(
                new Buffer[] {FloatBuffer.allocate(program.inputs().get(0).size())},
                new Buffer[program.outputs().size()],
                () -> {});
        assertEquals(program.labels().size(), run.nanos().length);
        assertTrue(run.nanos()[0] > 0);
        assertEquals(program.labels().size() + 1, program.describe().size());
        assertTrue(program.arenaBytes() > 0);
    }

    @Test
    void refusesBuffersThatDoNotFit() {
        Run run = Program.compile(new RandomGraph(5, ImageLayout.NCHW, Element.FLOAT32).build(3), () -> {})
                .newRun();
        Buffer[] none = {null, null, null};
        assertThrows(
                IllegalArgumentException.class,
                () -> run.execute(new Buffer[] {FloatBuffer.allocate(1)}, none, () -> {}));
        assertThrows(
                IllegalArgumentException.class,
                () -> run.execute(new Buffer[] {ByteBuffer.allocate(1 << 20)}, none, () -> {}));
        assertThrows(IllegalArgumentException.class, () -> run.execute(new Buffer[0], none, () -> {}));
    }
}
