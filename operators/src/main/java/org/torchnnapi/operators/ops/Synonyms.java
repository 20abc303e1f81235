package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.SchemaParser;

/** Operators that are another one under a second name. */
public final class Synonyms implements OperatorFamily {
    /** Functions of one tensor: the second name and the first. */
    private static final String[][] UNARY = {
        {"special_digamma", "digamma"},
        {"special_psi", "digamma"},
        {"special_erf", "erf"},
        {"special_erfc", "erfc"},
        {"special_erfinv", "erfinv"},
        {"special_exp2", "exp2"},
        {"special_expit", "sigmoid"},
        {"special_expm1", "expm1"},
        {"special_gammaln", "lgamma"},
        {"special_i0", "i0"},
        {"special_log1p", "log1p"},
        {"special_sinc", "sinc"},
        {"arccosh", "acosh"},
        {"arcsinh", "asinh"},
        {"arctanh", "atanh"},
        {"_conj_physical", "conj_physical"},
        {"absolute", "abs"},
        {"negative", "neg"},
        {"fix", "trunc"},
        {"arcsin", "asin"},
        {"arccos", "acos"},
        {"arctan", "atan"}
    };

    @Override
    public void register(Registrar r) {
        for (String[] names : UNARY) {
            same(r, "aten::" + names[0] + "(Tensor self) -> Tensor", names[1]);
        }
        same(r, "aten::_conj(Tensor(a) self) -> Tensor(a)", "conj");
        r.composite("aten::_neg_view(Tensor(a) self) -> Tensor(a)", "return torch.neg(self)");
        same(r, "aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", "log_softmax");
        same(r, "aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", "softmax");
        same(r, "aten::special_logit(Tensor self, float? eps=None) -> Tensor", "logit");
        same(r, "aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", "logsumexp");
        same(r, "aten::special_round(Tensor self, *, int decimals=0) -> Tensor", "round");
        same(r, "aten::special_multigammaln(Tensor self, int p) -> Tensor", "mvlgamma");
        same(r, "aten::special_polygamma(int n, Tensor self) -> Tensor", "polygamma");
        same(r, "aten::special_gammainc(Tensor self, Tensor other) -> Tensor", "igamma");
        same(r, "aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", "igammac");
        same(r, "aten::special_xlogy(Tensor self, Tensor other) -> Tensor", "xlogy");
        same(r, "aten::special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor", "xlogy");
        same(r, "aten::special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor", "xlogy");
        comparison(r, "greater", "gt");
        comparison(r, "greater_equal", "ge");
        comparison(r, "less", "lt");
        comparison(r, "less_equal", "le");
        comparison(r, "not_equal", "ne");
        same(r, "aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", "sub");
        same(r, "aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", "sub");
        for (String[] names : new String[][] {{"multiply", "mul"}, {"divide", "div"}, {"true_divide", "div"}}) {
            same(r, "aten::" + names[0] + ".Tensor(Tensor self, Tensor other) -> Tensor", names[1]);
            same(r, "aten::" + names[0] + ".Scalar(Tensor self, Scalar other) -> Tensor", names[1]);
        }
        same(r, "aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", "clamp");
        same(r, "aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", "clamp");
        same(r, "aten::arctan2(Tensor self, Tensor other) -> Tensor", "atan2");
        same(r, "aten::concatenate(Tensor[] tensors, int dim=0) -> Tensor", "cat");
        same(r, "aten::row_stack(Tensor[] tensors) -> Tensor", "vstack");
        same(r, "aten::_stack(Tensor[] tensors, int dim=0) -> Tensor", "stack");
        same(r, "aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", "div");
        same(r, "aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", "div");
        same(
                r.with(OperatorTrait.READS_MEMORY),
                "aten::_reshape_alias(Tensor(a) self, int[] size, int[] stride) -> Tensor(a)",
                "as_strided");
        same(r, "aten::_adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor", "adaptive_avg_pool3d");
        same(
                r,
                "aten::slow_conv3d(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias=None, int[3] "
                        + "stride=1, int[3] padding=0) -> Tensor",
                "conv3d",
                "self, weight, bias, stride, padding");
        same(
                r,
                "aten::thnn_conv2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? bias=None, int[2] "
                        + "stride=1, int[2] padding=0) -> Tensor",
                "conv2d",
                "self, weight, bias, stride, padding");
        for (int d = 2; d <= 3; d++) {
            String head = "d(Tensor self, Tensor weight, int[" + d + "] kernel_size, Tensor? bias=None, int[" + d
                    + "] stride=1, int[" + d + "] padding=0, ";
            same(
                    r,
                    "aten::slow_conv_dilated" + d + head + "int[" + d + "] dilation=1) -> Tensor",
                    "conv" + d + "d",
                    "self, weight, bias, stride, padding, dilation");
            same(
                    r,
                    "aten::slow_conv_transpose" + d + head + "int[" + d + "] output_padding=0, int[" + d
                            + "] dilation=1) -> Tensor",
                    "conv_transpose" + d + "d",
                    "self, weight, bias, stride, padding, output_padding, 1, dilation");
        }
        same(
                r,
                "aten::slow_conv3d_forward(Tensor self, Tensor weight, int[3] kernel_size, Tensor? bias, int[3] "
                        + "stride, int[3] padding) -> Tensor",
                "conv3d",
                "self, weight, bias, stride, padding");
        Registrar sizes = r.with(OperatorTrait.READS_GEOMETRY);
        same(sizes, "aten::sym_numel(Tensor self) -> SymInt", "numel");
        same(sizes, "aten::sym_size(Tensor self) -> SymInt[]", "size");
        same(sizes, "aten::sym_size.int(Tensor self, int dim) -> SymInt", "size");
        same(r, "aten::sym_stride(Tensor self) -> SymInt[]", "stride");
        same(r, "aten::sym_stride.int(Tensor self, int dim) -> SymInt", "stride");
        same(r.with(OperatorTrait.READS_MEMORY), "aten::sym_storage_offset(Tensor self) -> SymInt", "storage_offset");
        same(r, "aten::mkldnn_linear(Tensor self, Tensor weight, Tensor? bias=None) -> Tensor", "linear");
        same(r, "aten::native_channel_shuffle(Tensor self, int groups) -> Tensor", "channel_shuffle");
        for (String name :
                new String[] {"alias_copy", "detach_copy", "lift", "lift_fresh", "lift_fresh_copy", "_conj_copy"}) {
            r.composite(
                    "aten::" + name + "(Tensor self) -> Tensor",
                    name.equals("_conj_copy") ? "return torch.clone(torch.conj(self))" : "return torch.clone(self)");
        }
        copies(r);
    }

    /** What gives views, with memory of its own. */
    private static void copies(Registrar r) {
        for (String call : new String[] {
            "view(Tensor self, int[] size)",
            "expand(Tensor self, int[] size, *, bool implicit=False)",
            "permute(Tensor self, int[] dims)",
            "t(Tensor self)",
            "squeeze(Tensor self)",
            "unsqueeze(Tensor self, int dim)",
            "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1)",
            "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None)",
            "unfold(Tensor self, int dimension, int size, int step)",
            "view_as_real(Tensor self)",
            "view_as_complex(Tensor self)"
        }) {
            String name = call.substring(0, call.indexOf('('));
            FunctionSchema schema = SchemaParser.parse("aten::" + call + " -> Tensor");
            r.composite(
                    "aten::" + name + "_copy" + call.substring(name.length()) + " -> Tensor",
                    "return torch.clone(torch." + name + "(" + arguments(schema) + "), memory_format=0)");
        }
        r.composite(
                "aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor",
                "return torch.clone(torch.squeeze(self, dim), memory_format=0)");
        r.composite(
                "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
                "return torch.clone(torch.transpose(self, dim0, dim1), memory_format=0)");
        r.composite(
                "aten::select_copy.int(Tensor self, int dim, int index) -> Tensor",
                "return torch.clone(torch.select(self, dim, index), memory_format=0)");
        r.composite(
                "aten::slice_copy.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
                "return torch.clone(torch.slice(self, dim, start, end, step), memory_format=0)");
        r.composite(
                "aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor",
                "return torch.clone(torch.view(self, dtype))");
    }

    private static void comparison(Registrar r, String name, String other) {
        same(r, "aten::" + name + ".Tensor(Tensor self, Tensor other) -> Tensor", other);
        same(r, "aten::" + name + ".Scalar(Tensor self, Scalar other) -> Tensor", other);
    }

    private static void same(Registrar r, String schema, String other) {
        same(r, schema, other, arguments(SchemaParser.parse(schema)));
    }

    private static void same(Registrar r, String schema, String other, String arguments) {
        r.composite(schema, "return torch." + other + "(" + arguments + ")");
    }

    private static String arguments(FunctionSchema schema) {
        StringBuilder text = new StringBuilder();
        for (Argument argument : schema.arguments()) {
            text.append(text.length() == 0 ? "" : ", ")
                    .append(argument.keywordOnly() ? argument.name() + "=" : "")
                    .append(argument.name());
        }
        return text.toString();
    }
}
