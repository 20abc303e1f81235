package org.torchnnapi.converter.partition;

import java.util.Set;
import java.util.function.UnaryOperator;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;

/**
 * How to convert in the converter's own way.
 *
 * @param cost which parts are worth a start of NNAPI
 * @param target what the file is for
 * @param compares whether to look what each release of NNAPI would compute
 * @param preference compilation preference, NNAPI's number
 * @param relaxed whether NNAPI may compute float32 operations in float16
 * @param kept names of methods that stay in the module beside the converted one
 * @param fallback whether the original of the converted method stays too, under the name of
 *     {@link LoadedModel#fallbackOf}
 * @param name what the converted method is called
 * @param channelsLast numbers of the arguments that NNAPI is to see as N, H, W, C, whatever reads them
 * @param weights gives the tensor to keep in the place of a weight: one of the same elements
 */
public record NativeOptions(
        SegmentCost cost,
        Target target,
        boolean compares,
        int preference,
        boolean relaxed,
        Set<String> kept,
        boolean fallback,
        String name,
        Set<Integer> channelsLast,
        UnaryOperator<Tensor> weights) {
    public NativeOptions {
        kept = Set.copyOf(kept);
        channelsLast = Set.copyOf(channelsLast);
    }

    /** The same for files whose models are in the form that PyTorch's loader takes. */
    public NativeOptions forPyTorchsLoader() {
        return new NativeOptions(
                cost,
                target.withOwnRuntime(false),
                compares,
                preference,
                relaxed,
                kept,
                fallback,
                name,
                channelsLast,
                weights);
    }
}
