package org.torchnnapi.torchscript.source;

import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.OperatorFacts;

/**
 * What operators meant in older archives. A call in an archive older than the change becomes a call of a function,
 * given here as TorchScript, that does the old thing with today's operators. The changes and their versions are
 * PyTorch's (torch/csrc/jit/operator_upgraders).
 */
public final class Upgraders {
    /** The archive version from which on nothing is different. */
    public static final int LATEST = 10;

    private static final String PREFIX = "__torch__.upgraders.";

    /** @param until the first archive version with today's meaning */
    private record Change(int until, List<String> functions) {}

    private static final Map<String, Change> CHANGES = Map.of(
            "aten::div", new Change(4, List.of("div_Tensor", "div_Scalar", "div_out")),
            "aten::div_", new Change(4, List.of("div__Tensor", "div__Scalar")),
            "aten::full", new Change(5, List.of("full")),
            "aten::linspace", new Change(8, List.of("linspace", "linspace_out")),
            "aten::logspace", new Change(9, List.of("logspace", "logspace_out")),
            "aten::gelu", new Change(10, List.of("gelu")));

    private static final String SOURCE = """
        def div_Tensor(self: Tensor, other: Tensor) -> Tensor:
          if torch.is_floating_point(self):
            _0 = True
          else:
            _0 = torch.is_floating_point(other)
          if _0:
            _1 = torch.div(self, other)
          else:
            _1 = torch.div(self, other, rounding_mode="trunc")
          return _1
        def div_Scalar(self: Tensor, other: number) -> Tensor:
          if torch.is_floating_point(self):
            _0 = True
          else:
            _0 = isinstance(other, float)
          if _0:
            _1 = torch.div(self, other)
          else:
            _1 = torch.div(self, other, rounding_mode="trunc")
          return _1
        def div_out(self: Tensor, other: Tensor, out: Tensor) -> Tensor:
          if torch.is_floating_point(self):
            _0 = True
          else:
            if torch.is_floating_point(other):
              _0 = True
            else:
              _0 = torch.is_floating_point(out)
          if _0:
            _1 = torch.div(self, other, out=out)
          else:
            _1 = torch.div(self, other, rounding_mode="trunc", out=out)
          return _1
        def div__Tensor(self: Tensor, other: Tensor) -> Tensor:
          if torch.is_floating_point(self):
            _0 = True
          else:
            _0 = torch.is_floating_point(other)
          if _0:
            _1 = torch.div_(self, other)
          else:
            _1 = torch.div_(self, other, rounding_mode="trunc")
          return _1
        def div__Scalar(self: Tensor, other: number) -> Tensor:
          if torch.is_floating_point(self):
            _0 = True
          else:
            _0 = isinstance(other, float)
          if _0:
            _1 = torch.div_(self, other)
          else:
            _1 = torch.div_(self, other, rounding_mode="trunc")
          return _1
        def full(size: List[int], fill_value: number, dtype: Optional[int]=None, layout: Optional[int]=None,
            device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
          if torch.__is__(dtype, None):
            _0 = torch.full(size, float(fill_value), dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
          else:
            _0 = torch.full(size, fill_value, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
          return _0
        def linspace(start: number, end: number, steps: Optional[int]=None, dtype: Optional[int]=None, layout: \
        Optional[int]=None,
            device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
          if torch.__is__(steps, None):
            _0 = 100
          else:
            _0 = unchecked_cast(int, steps)
          return torch.linspace(start, end, _0, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
        def linspace_out(start: number, end: number, steps: Optional[int]=None, out: Tensor) -> Tensor:
          if torch.__is__(steps, None):
            _0 = 100
          else:
            _0 = unchecked_cast(int, steps)
          return torch.linspace(start, end, _0, out=out)
        def logspace(start: number, end: number, steps: Optional[int]=None, base: float=10., dtype: Optional[int]=None,
            layout: Optional[int]=None, device: Optional[Device]=None, pin_memory: Optional[bool]=None) -> Tensor:
          if torch.__is__(steps, None):
            _0 = 100
          else:
            _0 = unchecked_cast(int, steps)
          return torch.logspace(start, end, _0, base, dtype=dtype, layout=layout, device=device, pin_memory=pin_memory)
        def logspace_out(start: number, end: number, steps: Optional[int]=None, base: float=10., out: Tensor) -> Tensor:
          if torch.__is__(steps, None):
            _0 = 100
          else:
            _0 = unchecked_cast(int, steps)
          return torch.logspace(start, end, _0, base, out=out)
        def gelu(self: Tensor) -> Tensor:
          return torch.gelu(self)
        """;

    private final CodeLoader loader;

    /** The file format from which on an operator means what it does today; 0 for one that never changed. */
    public static int since(String kind) {
        Change change = CHANGES.get(kind);
        return change == null ? 0 : change.until();
    }

    /** @param operators what the functions call */
    public Upgraders(OperatorFacts operators) {
        loader = new CodeLoader(
                new CodeArchive() {
                    @Override
                    public String source(String entry) {
                        return entry.equals("code/__torch__/upgraders.py") ? SOURCE : null;
                    }

                    @Override
                    public Object constant(int index) {
                        throw new IllegalArgumentException("constant: " + index + " (expected: none)");
                    }
                },
                operators);
    }

    /** The function that does what an overload did in archives of that version, or null if it still does. */
    public Function function(String kind, String overload, int archiveVersion) {
        Change change = CHANGES.get(kind);
        if (change == null || archiveVersion >= change.until()) {
            return null;
        }
        String name = kind.substring("aten::".length()) + (overload.isEmpty() ? "" : "_" + overload);
        return change.functions().contains(name) ? loader.function(PREFIX + name) : null;
    }

    /** Functions that do what an operator did in archives of that version, none if it still does. */
    List<Function> functions(String kind, int archiveVersion) {
        Change change = CHANGES.get(kind);
        return change == null || archiveVersion >= change.until()
                ? List.of()
                : change.functions().stream()
                        .map(name -> loader.function(PREFIX + name))
                        .collect(Streams.toList());
    }
}
