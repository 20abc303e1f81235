package org.torchnnapi.nnapi.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Some operations of a model as a model of their own: what they read from outside becomes input, what is read outside
 * becomes output.
 *
 * @param model the part
 * @param inputs the whole's operand behind each input of the part
 * @param outputs the whole's operand behind each output of the part
 * @param operations the whole's operation numbers, in the part's order
 */
public record ModelSlice(Model model, int[] inputs, int[] outputs, int[] operations) {
    /** What slicing needs to know about the whole; made once for all slices. */
    public static final class Source {
        private static final int[] NOBODY = new int[0];

        private final Model whole;
        private final int[][] shapes;
        private final int[] writer;
        private final int[][] readers;

        /** @param shapes known shapes by operand, null where a shape is not known beforehand */
        public Source(Model whole, int[][] shapes) {
            this.whole = whole;
            this.shapes = shapes;
            int count = whole.operands().size();
            writer = new int[count];
            Arrays.fill(writer, -1);
            int[] readerCount = new int[count];
            List<Operation> operations = whole.operations();
            for (int i = 0; i < operations.size(); i++) {
                Operation operation = operations.get(i);
                for (int j = 0; j < operation.outputCount(); j++) {
                    writer[operation.output(j)] = i;
                }
                for (int j = 0; j < operation.inputCount(); j++) {
                    readerCount[operation.input(j)]++;
                }
            }
            readers = new int[count][];
            for (int i = 0; i < operations.size(); i++) {
                Operation operation = operations.get(i);
                for (int j = 0; j < operation.inputCount(); j++) {
                    int index = operation.input(j);
                    if (readers[index] == null) {
                        readers[index] = new int[readerCount[index]];
                    }
                    readers[index][readers[index].length - readerCount[index]--] = i;
                }
            }
        }

        public Model whole() {
            return whole;
        }

        /** The operation that writes an operand, -1 if none. */
        public int writer(int operand) {
            return writer[operand];
        }

        /** The operations that read an operand; not to be changed. */
        public int[] readers(int operand) {
            return readers[operand] == null ? NOBODY : readers[operand];
        }

        /** The shape of an operand, null where it is not known beforehand. Not to be changed. */
        public int[] shape(int operand) {
            return shapes[operand];
        }
    }

    /**
     * Cuts out operations.
     *
     * @param part by operation number, the part it belongs to
     * @param number the part to cut out
     * @param members the numbers of its operations, ascending
     */
    public static ModelSlice of(Source source, int[] part, int number, int[] members) {
        Model whole = source.whole;
        Map<Integer, Integer> indexes = new HashMap<>();
        List<Operand> operands = new ArrayList<>();
        List<Integer> inputs = new ArrayList<>();
        List<Integer> outputs = new ArrayList<>();
        List<Operation> operations = new ArrayList<>();
        FeatureLevelNeed need = FeatureLevelNeed.NONE;
        for (int member : members) {
            Operation operation = whole.operations().get(member);
            int[] in = new int[operation.inputCount()];
            for (int i = 0; i < in.length; i++) {
                int index = operation.input(i);
                boolean outside = source.writer[index] < 0 || part[source.writer[index]] != number;
                if (outside
                        && !indexes.containsKey(index)
                        && isData(whole.operand(index).lifetime())) {
                    inputs.add(index);
                }
                in[i] = indexes.computeIfAbsent(
                        index,
                        k -> add(operands, source, k, outside ? Lifetime.SUBGRAPH_INPUT : Lifetime.TEMPORARY_VARIABLE));
            }
            int[] out = new int[operation.outputCount()];
            for (int i = 0; i < out.length; i++) {
                int index = operation.output(i);
                boolean read = whole.operand(index).lifetime() == Lifetime.SUBGRAPH_OUTPUT;
                for (int reader : source.readers(index)) {
                    read |= part[reader] != number;
                }
                boolean leaves = read;
                if (leaves) {
                    outputs.add(index);
                }
                out[i] = indexes.computeIfAbsent(
                        index,
                        k -> add(operands, source, k, leaves ? Lifetime.SUBGRAPH_OUTPUT : Lifetime.TEMPORARY_VARIABLE));
            }
            operations.add(operation.with(in, out));
            need = need.and(ModelValidator.verdict(whole, operation).need());
        }
        int[] wholeInputs = inputs.stream().mapToInt(Integer::intValue).toArray();
        int[] wholeOutputs = outputs.stream().mapToInt(Integer::intValue).toArray();
        int[] partInputs = inputs.stream().mapToInt(indexes::get).toArray();
        int[] partOutputs = outputs.stream().mapToInt(indexes::get).toArray();
        return new ModelSlice(
                new Model(operands, operations, partInputs, partOutputs, whole.isRelaxed(), need),
                wholeInputs,
                wholeOutputs,
                members);
    }

    private static boolean isData(Lifetime lifetime) {
        return !lifetime.isConstant() && lifetime != Lifetime.NO_VALUE && lifetime != Lifetime.SUBGRAPH;
    }

    private static int add(List<Operand> operands, Source source, int index, Lifetime lifetime) {
        Operand operand = source.whole.operand(index);
        if (isData(operand.lifetime())) {
            OperandDescriptor descriptor = operand.descriptor();
            int[] shape = source.shapes[index];
            boolean useful = shape != null
                    && !descriptor.isFullySpecified()
                    && Arrays.stream(shape).allMatch(size -> size > 0);
            operand = new Operand(useful ? descriptor.withDimensions(shape) : descriptor, lifetime, null, null);
        }
        operands.add(operand);
        return operands.size() - 1;
    }
}
