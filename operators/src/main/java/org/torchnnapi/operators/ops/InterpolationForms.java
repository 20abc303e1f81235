package org.torchnnapi.operators.ops;

import org.torchnnapi.operators.OperatorFamily;

/**
 * Resizing as files of PyTorch 1.4 and earlier call it: one operator for all modes, whose sizes and factors are numbers
 * or lists.
 */
public final class InterpolationForms implements OperatorFamily {
    private static final String ONE_SIZE = "torch.mul([unchecked_cast(int, size)], n)";
    private static final String SIZES = "unchecked_cast(List[int], size)";

    @Override
    public void register(Registrar r) {
        for (boolean lists : new boolean[] {false, true}) {
            for (boolean factors : new boolean[] {false, true}) {
                String overload = (lists ? ".size_list" : "") + (factors ? lists ? "_scale_list" : ".scale_list" : "");
                String size = "(Tensor input, int" + (lists ? "[]" : "") + "? size=None, ";
                r.composite(
                        "aten::__interpolate" + overload + size + "float" + (factors ? "[]" : "")
                                + "? scale_factor=None, str mode=\"nearest\", "
                                + "bool? align_corners=None, bool? recompute_scale_factor=None, bool "
                                + "antialias=False) -> Tensor",
                        sizes(
                                        lists,
                                        factors
                                                ? "unchecked_cast(List[float], scale_factor)"
                                                : "torch.mul([unchecked_cast(float, scale_factor)], n)")
                                + """
                    if torch.__is__(recompute_scale_factor, None):
                      given = annotate(Optional[List[int]], sizes)
                      kept = annotate(Optional[List[float]], None)
                    else:
                      if torch.__or__(unchecked_cast(bool, recompute_scale_factor), torch.__is__(scale_factor, None)):
                        given = annotate(Optional[List[int]], sizes)
                        kept = annotate(Optional[List[float]], None)
                      else:
                        given = annotate(Optional[List[int]], None)
                        kept = annotate(Optional[List[float]], factors)
                    """ + modes("mode", "align_corners"));
                String whole = factors
                        ? """
                    annotate(List[float], [])
                      for k in range(n):
                        _1 = torch.append(factors, float(unchecked_cast(List[int], scale_factor)[k]))""" //
                        : "torch.mul([float(unchecked_cast(int, scale_factor))], n)";
                String none = """
                    given = annotate(Optional[List[int]], sizes)
                    kept = annotate(Optional[List[float]], None)
                    """;
                if (!factors) {
                    r.composite(
                            "aten::__upsample" + overload + size
                                    + "int? scale_factor=None, str mode=\"nearest\", bool? align_corners=None) -> "
                                    + "Tensor",
                            sizes(lists, whole) + none + modes("mode", "align_corners"));
                    r.composite(
                            "aten::__upsample_nearest" + overload + size + "int? scale_factor=None) -> Tensor",
                            sizes(lists, whole) + none + modes("\"nearest\"", "None"));
                }
                r.composite(
                        "aten::__upsample_bilinear" + overload + size + "int" + (factors ? "[]" : "")
                                + "? scale_factor=None) -> Tensor",
                        sizes(lists, whole) + none + modes("\"bilinear\"", "True"));
            }
        }
    }

    /** The sizes that are given, or those that factors give, as {@code sizes}. */
    private static String sizes(boolean lists, String factors) {
        return """
            n = torch.sub(torch.dim(input), 2)
            if torch.__is__(scale_factor, None):
              factors = annotate(List[float], [])
            else:
              factors = FACTORS
            if torch.__is__(size, None):
              sizes = annotate(List[int], [])
              for i in range(n):
                _0 = torch.append(sizes, torch.floor(torch.mul(float(torch.size(input, torch.add(i, 2))), factors[i])))
            else:
              sizes = GIVEN
            """.replace("FACTORS", factors).replace("GIVEN", lists ? SIZES : ONE_SIZE);
    }

    private static String modes(String mode, String corners) {
        return """
            m = MODE
            c = annotate(Optional[bool], CORNERS)
            if torch.__is__(c, None):
              corners = False
            else:
              corners = unchecked_cast(bool, c)
            if torch.eq(m, "nearest"):
              if torch.eq(n, 1):
                y = torch.upsample_nearest1d(input, given, kept)
              else:
                if torch.eq(n, 2):
                  y = torch.upsample_nearest2d(input, given, kept)
                else:
                  y = torch.upsample_nearest3d(input, given, kept)
            else:
              if torch.eq(m, "area"):
                if torch.eq(n, 1):
                  y = torch.adaptive_avg_pool1d(input, sizes)
                else:
                  if torch.eq(n, 2):
                    y = torch.adaptive_avg_pool2d(input, sizes)
                  else:
                    y = torch.adaptive_avg_pool3d(input, sizes)
              else:
                if torch.eq(m, "linear"):
                  y = torch.upsample_linear1d(input, given, corners, kept)
                else:
                  if torch.eq(m, "bilinear"):
                    y = torch.upsample_bilinear2d(input, given, corners, kept)
                  else:
                    if torch.eq(m, "bicubic"):
                      y = torch.upsample_bicubic2d(input, given, corners, kept)
                    else:
                      if torch.eq(m, "trilinear"):
                        y = torch.upsample_trilinear3d(input, given, corners, kept)
                      else:
                        y = input
                        ops.prim.RaiseException(torch.format("mode: {} (expected: nearest, area, linear, bilinear, \
            bicubic or trilinear)", m))
            return y""".replace("MODE", mode).replace("CORNERS", corners);
    }
}
