package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.flag;
import static org.torchnnapi.operators.support.Args.int32;
import static org.torchnnapi.operators.support.Args.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** LSTM and GRU layers with dynamically quantized weights. */
public final class QuantizedRecurrent implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        String linear = LinearParams.CLASS.qualifiedName();
        String cell = CellParams.CLASS.qualifiedName();
        r.op(
                "quantized::make_quantized_cell_params_dynamic(" + linear + " w_ih, " + linear
                        + " w_hh, Tensor bias_ih, Tensor bias_hh, " + "bool reduce_range=False) -> " + cell,
                a -> CellParams.CLASS.wrap(new CellParams(
                        LinearParams.CLASS.unwrap(a, 0),
                        LinearParams.CLASS.unwrap(a, 1),
                        tensor(a, 2),
                        tensor(a, 3),
                        flag(a, 4))));
        r.op(
                "aten::quantized_lstm.input(Tensor input, Tensor[] hx, " + cell
                        + "[] params, bool has_biases, int num_layers, float dropout, bool train, "
                        + "bool bidirectional, bool batch_first, *, ScalarType? dtype=None, bool use_dynamic=False) "
                        + "-> (Tensor, Tensor, Tensor)",
                a -> {
                    List<Tensor> states = Args.tensors(a, 1);
                    Layers layers = new Layers(a, 2, true);
                    Tensor out = layers.padded(tensor(a, 0), flag(a, 8), states.get(0), states.get(1));
                    return new Object[] {out, layers.hidden, layers.cell};
                });
        r.op(
                "aten::quantized_gru.input(Tensor input, Tensor hx, " + cell
                        + "[] params, bool has_biases, int num_layers, float dropout, bool train, "
                        + "bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
                a -> {
                    Layers layers = new Layers(a, 2, false);
                    Tensor out = layers.padded(tensor(a, 0), flag(a, 8), tensor(a, 1), null);
                    return new Object[] {out, layers.hidden};
                });
        r.op(
                "aten::quantized_lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, " + cell
                        + "[] params, bool has_biases, int num_layers, "
                        + "float dropout, bool train, bool bidirectional, *, ScalarType? dtype=None, bool "
                        + "use_dynamic=False) -> (Tensor, Tensor, Tensor)",
                a -> {
                    List<Tensor> states = Args.tensors(a, 2);
                    Layers layers = new Layers(a, 3, true);
                    Tensor out = layers.run(
                            tensor(a, 0),
                            PackedSequences.of(tensor(a, 0), tensor(a, 1)).batchSizes(),
                            states.get(0),
                            states.get(1));
                    return new Object[] {out, layers.hidden, layers.cell};
                });
        r.op(
                "aten::quantized_gru.data(Tensor data, Tensor batch_sizes, Tensor hx, " + cell
                        + "[] params, bool has_biases, int num_layers, "
                        + "float dropout, bool train, bool bidirectional) -> (Tensor, Tensor)",
                a -> {
                    Layers layers = new Layers(a, 3, false);
                    Tensor out = layers.run(
                            tensor(a, 0),
                            PackedSequences.of(tensor(a, 0), tensor(a, 1)).batchSizes(),
                            tensor(a, 2),
                            null);
                    return new Object[] {out, layers.hidden};
                });
        cells(r, linear);
        legacy(r);
    }

    /** Operators of packed weights in tensors, which PyTorch keeps to say so. */
    private static void legacy(Registrar r) {
        String layers = "bool has_biases, int num_layers, float dropout, bool train, bool bidirectional";
        String dynamic = ", *, ScalarType? dtype=None, bool use_dynamic=False) -> (Tensor, Tensor, Tensor)";
        String newer = "Please re-export your model using the newer definitions in torch.jit.quantized";
        refuse(
                r,
                "aten::quantized_lstm.input_legacy(Tensor input, Tensor[] hx, Tensor[] params, " + layers
                        + ", bool batch_first" + dynamic,
                "torch.quantized_lstm with List[Tensor] for parameters is no longer supported. " + newer);
        refuse(
                r,
                "aten::quantized_lstm.data_legacy(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params, "
                        + layers + dynamic,
                "torch.quantized_lstm with List[Tensor] for parameters is no longer supported. " + newer);
        refuse(
                r,
                "aten::quantized_gru.input_legacy(Tensor input, Tensor hx, Tensor[] params, " + layers
                        + ", bool batch_first) -> (Tensor, Tensor)",
                "torch.quantized_gru with List[Tensor] for parameters is no longer supported. " + newer);
        refuse(
                r,
                "aten::quantized_gru.data_legacy(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, " + layers
                        + ") -> (Tensor, Tensor)",
                "torch.quantized_gru with List[Tensor] for parameters is no longer supported. " + newer);
        for (String half : new String[] {"", "_fp16"}) {
            refuse(
                    r,
                    "quantized::linear_prepack" + half + "_legacy(Tensor W, Tensor? B=None) -> Tensor W_prepack",
                    "This model uses an outdated version of quantized.linear_prepack" + half + ". " + newer);
            refuse(
                    r,
                    "quantized::linear_unpack" + half
                            + ".legacy(Tensor W_prepack) -> (Tensor W_origin, Tensor? B_origin)",
                    "quantized.linear_unpack(Tensor) is unsupported! Please upgrade your model to use the newer "
                            + "quantized.linear_unpack(LinearPackedParamsBase) overload");
        }
    }

    private static void refuse(Registrar r, String schema, String message) {
        r.op(schema, a -> {
            throw new IllegalArgumentException(message);
        });
    }

    private static void cells(Registrar r, String linear) {
        String weights = linear + " w_ih, " + linear + " w_hh, Tensor b_ih, Tensor b_hh) -> ";
        r.op("quantized::quantized_lstm_cell_dynamic(Tensor input, Tensor[] hx, " + weights + "(Tensor, Tensor)", a -> {
            List<Tensor> states = Args.tensors(a, 1);
            Tensor h = states.get(0).copy(MemoryFormat.CONTIGUOUS);
            Tensor c = states.get(1).copy(MemoryFormat.CONTIGUOUS);
            step(
                    a,
                    h,
                    (x, y, row, width) -> Layers.lstmStep(
                            x,
                            row * width,
                            y,
                            row * width,
                            h.storage().floatArray(),
                            c.storage().floatArray(),
                            row * h.size(1),
                            h.size(1)));
            return new Object[] {h, c};
        });
        r.op("quantized::quantized_gru_cell_dynamic(Tensor input, Tensor hx, " + weights + "Tensor", a -> {
            Tensor h = tensor(a, 1).copy(MemoryFormat.CONTIGUOUS);
            step(
                    a,
                    h,
                    (x, y, row, width) -> Layers.gruStep(
                            x, row * width, y, row * width, h.storage().floatArray(), row * h.size(1), h.size(1)));
            return h;
        });
        for (boolean relu : new boolean[] {false, true}) {
            r.op(
                    "quantized::quantized_rnn_" + (relu ? "relu" : "tanh") + "_cell_dynamic(Tensor input, Tensor hx, "
                            + weights + "Tensor",
                    a -> {
                        Tensor h = tensor(a, 1).copy(MemoryFormat.CONTIGUOUS);
                        step(a, h, (x, y, row, width) -> {
                            for (int u = row * width; u < (row + 1) * width; u++) {
                                float sum = x[u] + y[u];
                                h.storage().floatArray()[u] = relu ? Math.max(sum, 0) : (float) Math.tanh(sum);
                            }
                        });
                        return h;
                    });
        }
    }

    /** What a cell does with a row of what its two linear layers give. */
    private interface Gates {
        void run(float[] fromInput, float[] fromHidden, int row, int width);
    }

    private static void step(Object[] a, Tensor hidden, Gates gates) {
        Tensor fromInput =
                QuantizedLinears.dynamic(tensor(a, 0).contiguous(), LinearParams.CLASS.unwrap(a, 2), true, false);
        Tensor fromHidden = QuantizedLinears.dynamic(hidden, LinearParams.CLASS.unwrap(a, 3), true, false);
        if (hidden.rank() != 2
                || fromInput.rank() != 2
                || fromInput.size(0) != hidden.size(0)
                || fromInput.size(1) != fromHidden.size(1)) {
            throw new IllegalArgumentException("cell: input " + tensor(a, 0) + ", state " + hidden
                    + " (expected: [batch, size] of weights of one size)");
        }
        for (int row = 0; row < hidden.size(0); row++) {
            gates.run(fromInput.storage().floatArray(), fromHidden.storage().floatArray(), row, fromInput.size(1));
        }
    }

    /** A stack of layers, each in one or two directions. */
    private static final class Layers {
        private final List<CellParams> params = new ArrayList<>();
        private final int layers;
        private final int directions;
        private final boolean lstm;
        private Tensor hidden;
        private Tensor cell;

        Layers(Object[] a, int at, boolean lstm) {
            ScriptList list = (ScriptList) a[at];
            for (Object item : list.items()) {
                params.add(CellParams.CLASS.unwrap(new Object[] {item}, 0));
            }
            layers = int32(a, at + 2);
            directions = flag(a, at + 5) ? 2 : 1;
            this.lstm = lstm;
            if (params.size() != layers * directions) {
                throw new IllegalArgumentException("cells: " + params.size() + " (expected: " + layers * directions
                        + ", one a layer and direction)");
            }
        }

        Tensor padded(Tensor input, boolean batchFirst, Tensor h0, Tensor c0) {
            Tensor x = (batchFirst ? input.permute(1, 0, 2) : input).contiguous();
            int[] sizes = new int[x.size(0)];
            Arrays.fill(sizes, x.size(1));
            Tensor out = run(TensorViews.reshape(x, x.size(0) * x.size(1), x.size(2)), sizes, h0, c0);
            Tensor shaped = TensorViews.reshape(out, x.size(0), x.size(1), out.size(1));
            return batchFirst ? shaped.permute(1, 0, 2) : shaped;
        }

        /**
         * @param data [steps of all sequences, features]: the first step of each sequence, then the second, and so on
         * @param sizes how many sequences have each step
         */
        Tensor run(Tensor data, int[] sizes, Tensor h0, Tensor c0) {
            Tensor x = data.contiguous();
            hidden = h0.copy(MemoryFormat.CONTIGUOUS);
            cell = c0 == null ? null : c0.copy(MemoryFormat.CONTIGUOUS);
            int units = h0.size(2);
            for (int layer = 0; layer < layers; layer++) {
                Tensor out = Tensors.empty(DType.FLOAT32, x.size(0), units * directions);
                for (int d = 0; d < directions; d++) {
                    direction(x, sizes, out, layer * directions + d, d == 1, d * units);
                }
                x = out;
            }
            return x;
        }

        private void direction(Tensor x, int[] sizes, Tensor out, int index, boolean reversed, int column) {
            CellParams cellParams = params.get(index);
            int steps = sizes.length;
            int units = hidden.size(2);
            Tensor fromInput = QuantizedLinears.dynamic(x, cellParams.input(), cellParams.reduceRange(), false);
            float[] gates = fromInput.storage().floatArray();
            int width = fromInput.size(1);
            float[] h = hidden.storage().floatArray();
            float[] c = cell == null ? null : cell.storage().floatArray();
            int state = index * hidden.size(1) * units;
            float[] y = out.storage().floatArray();
            int row = reversed ? x.size(0) : 0;
            for (int i = 0; i < steps; i++) {
                int batch = sizes[reversed ? steps - 1 - i : i];
                row -= reversed ? batch : 0;
                Tensor previous = hidden.asStrided(new int[] {batch, units}, new int[] {units, 1}, state);
                float[] fromHidden = QuantizedLinears.dynamic(
                                previous, cellParams.hidden(), cellParams.reduceRange(), false)
                        .storage()
                        .floatArray();
                for (int b = 0; b < batch; b++) {
                    int gate = (row + b) * width;
                    if (lstm) {
                        lstmStep(gates, gate, fromHidden, b * width, h, c, state + b * units, units);
                    } else {
                        gruStep(gates, gate, fromHidden, b * width, h, state + b * units, units);
                    }
                    System.arraycopy(h, state + b * units, y, (row + b) * units * directions + column, units);
                }
                row += reversed ? 0 : batch;
            }
        }

        /** Gates in the order input, forget, cell, output. */
        private static void lstmStep(
                float[] x, int at, float[] r, int atR, float[] h, float[] c, int state, int units) {
            for (int u = 0; u < units; u++) {
                float input = sigmoid(x[at + u] + r[atR + u]);
                float forget = sigmoid(x[at + units + u] + r[atR + units + u]);
                float candidate = (float) Math.tanh(x[at + 2 * units + u] + r[atR + 2 * units + u]);
                float output = sigmoid(x[at + 3 * units + u] + r[atR + 3 * units + u]);
                c[state + u] = forget * c[state + u] + input * candidate;
                h[state + u] = output * (float) Math.tanh(c[state + u]);
            }
        }

        /** Gates in the order reset, update, new. */
        private static void gruStep(float[] x, int at, float[] r, int atR, float[] h, int state, int units) {
            for (int u = 0; u < units; u++) {
                float reset = sigmoid(x[at + u] + r[atR + u]);
                float update = sigmoid(x[at + units + u] + r[atR + units + u]);
                float candidate = (float) Math.tanh(x[at + 2 * units + u] + reset * r[atR + 2 * units + u]);
                h[state + u] = candidate + update * (h[state + u] - candidate);
            }
        }

        private static float sigmoid(float x) {
            return 1 / (1 + (float) Math.exp(-x));
        }
    }
}
