package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;

/** Operators that torch.export leaves of others once it has decomposed them, said in those. */
public final class CoreForms implements OperatorFamily {
    /** The factor that a number stands for, as the name that torch.fft has for it: none, by the root, by the count. */
    private static final String FORWARD_NORM = norm("backward", "forward");

    private static final String INVERSE_NORM = norm("forward", "backward");

    @Override
    public void register(Registrar r) {
        transforms(r);
        r.composite(
                "aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool "
                        + "scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor? per_sample_weights=None, "
                        + "bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
                "return torch._embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse, "
                        + "per_sample_weights, include_last_offset, padding_idx)");
        r.composite(
                "aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] "
                        + "sumdim, int unroll_dim=1) -> Tensor",
                widened("i1", "expand1") + widened("i2", "expand2") + widened("i3", "expand3")
                        + "return torch.sum(torch.mul(torch.mul(i10, i20), i30), sumdim)");
        r.composite(
                "transformers::grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> Tensor",
                "return torch._grouped_mm(input, weight, offs)");
    }

    private static String widened(String tensor, String dimensions) {
        return tensor + "0 = " + tensor + "\nfor i in range(torch.len(" + dimensions + ")):\n  " + tensor
                + "0 = torch.unsqueeze(" + tensor + "0, " + dimensions + "[i])\n";
    }

    private static void transforms(Registrar r) {
        r.composite(
                "aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
                FORWARD_NORM + """
            if onesided:
              spectrum = torch.fft_rfftn(self, None, dim, norm)
            else:
              spectrum = torch.fft_fftn(self, None, dim, norm)
            return spectrum""");
        r.composite(
                "aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
                "if forward:\n" + indented(FORWARD_NORM) + "  spectrum = torch.fft_fftn(self, None, dim, norm)\nelse:\n"
                        + indented(INVERSE_NORM)
                        + "  spectrum = torch.fft_ifftn(self, None, dim, norm)\nreturn spectrum");
        r.composite(
                "aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor",
                INVERSE_NORM + """
            sizes = annotate(List[int], [])
            for i in range(torch.sub(torch.len(dim), 1)):
              _0 = torch.append(sizes, torch.size(self, dim[i]))
            _1 = torch.append(sizes, last_dim_size)
            return torch.fft_irfftn(self, sizes, dim, norm)""");
    }

    private static String norm(String none, String byCount) {
        return "norm = \"ortho\"\nif torch.eq(normalization, 0):\n  norm = \"" + none
                + "\"\nif torch.eq(normalization, 2):\n  norm = \"" + byCount + "\"\n";
    }

    private static String indented(String lines) {
        return "  " + lines.substring(0, lines.length() - 1).replace("\n", "\n  ") + "\n";
    }
}
