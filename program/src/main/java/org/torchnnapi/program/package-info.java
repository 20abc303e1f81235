/**
 * Programs: a {@link org.torchnnapi.program.OpGraph} of kernel operations, built by a
 * {@link org.torchnnapi.program.GraphBuilder}, is compiled once to a {@link org.torchnnapi.program.Program} (operations
 * fused, weights packed, layouts and one memory planned), which any number of {@link org.torchnnapi.program.Run}s
 * execute, each on a memory of its own, without allocating.
 *
 * <pre>{@code
 * GraphBuilder graph = new GraphBuilder();
 * int image = graph.input(ValueType.floats(1, 3, 224, 224), ImageStorage.DECLARED);
 * ConvShape shape = ConvShape.of(3, 224, 224, 32, 3, 3).padding(1, 1);
 * int features = graph.add(new Convolution(shape, ImageLayout.NCHW, weights, bias, Clamp.NONE), image);
 * int limited = graph.add(new Limit(Clamp.RELU), features);
 * graph.output(limited, ImageStorage.DECLARED);
 * Run run = Program.compile(graph.build(), () -> { }).newRun();
 * run.execute(new Buffer[] {FloatBuffer.wrap(pixels)}, new Buffer[] {FloatBuffer.wrap(results)}, () -> { });
 * }</pre>
 */
package org.torchnnapi.program;
