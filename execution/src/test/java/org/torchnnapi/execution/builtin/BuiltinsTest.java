package org.torchnnapi.execution.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.execution.interp.Scripts;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.value.ScriptException;

class BuiltinsTest {
    @Test
    void schemasAreWellFormedAndDistinct() {
        List<String> schemas = new ArrayList<>();
        Builtins.FAMILIES.forEach(family -> family.register((schema, kernel, traits) -> schemas.add(schema)));
        Set<String> names = new HashSet<>();
        for (String schema : schemas) {
            assertTrue(names.add(SchemaParser.parse(schema).fullName()), schema);
        }
        assertTrue(schemas.size() > 500, "schemas: " + schemas.size());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        int   | torch.floordiv(-7, 2)           | -4
        int   | torch.remainder(-7, 3)          | 2
        float | torch.div(7, 2)                 | 3.5
        float | torch.floordiv(-7.5, 2.)        | -4.0
        float | torch.remainder(-7.5, 2.)       | 0.5
        float | torch.remainder(-1e-20, 3.)     | 0.0
        float | torch.remainder(1., inf)        | NaN
        float | torch.pow(2, 10)                | 1024.0
        float | torch.add(1, 0.5)               | 1.5
        int   | torch.__lshift__(3, 2)          | 12
        int   | torch.__xor__(6, 3)             | 5
        int   | torch.neg(4)                    | -4
        bool  | torch.__not__(True)             | false
        bool  | torch.eq(1, 1.)                 | true
        bool  | torch.lt("a", "b")              | true
        bool  | torch.lt(nan, 1.)               | false
        bool  | torch.__is__(None, None)        | true
        bool  | torch.__isnot__(1, None)        | true
        int   | ops.prim.min(3, 2)              | 2
        float | ops.prim.max(3., 2)             | 3.0
        int   | ops.prim.max([4, 9, 2])         | 9
        int   | int(-3.7)                       | -3
        float | float("2.5")                    | 2.5
        bool  | bool(0)                         | false
        str   | str(3.)                         | 3.
        str   | str(0.10000000000000001)        | 0.10000000000000001
        str   | str(1.5)                        | 1.5
        str   | str(1e+20)                      | 1e+20
        str   | str([1, 2])                     | [1, 2]
        str   | str((True, None))               | (True, None)
        float | torch.sqrt(16)                  | 4.0
        int   | torch.ceil(1.2)                 | 2
        float | torch.round(2.5)                | 2.0
        float | torch.atan2(0., 1.)             | 0.0
        float | torch.fmod(-7., 3.)             | -1.0
        int   | torch.gcd(12, -18)              | 6
        int   | torch.factorial(5)              | 120
        str   | torch.hex(255)                  | 0xff
        int   | torch.ord("a")                  | 97
        str   | torch.chr(98)                   | b
        int   | int(1e20)                       | -9223372036854775808
        int   | torch.floor(9223372036854775808.) | -9223372036854775808
        int   | torch.floor(1e10)               | 10000000000
        int   | int("\\t7")                     | 7
        int   | int("+7")                       | 7
        int   | int("007")                      | 7
        float | float(" 1.5")                   | 1.5
        float | float("0x10")                   | 16.0
        float | float("0x1p3")                  | 8.0
        float | float("0x.8p1")                 | 1.0
        float | float("-Infinity")              | -Infinity
        float | float("NAN")                    | NaN
        float | float("nan(12)")                | NaN
        float | float(".5")                     | 0.5
        float | float("+5.")                    | 5.0
        float | float("0e-999")                 | 0.0
        int   | int(-2.9)                       | -2
        float | torch.div(1, 0)                 | Infinity
        float | torch.floordiv(-1., 0.)         | -Infinity
        float | torch.remainder(1., 0.)         | NaN
        """)
    void numbers(String type, String expression, String expected) {
        assertEquals(expected, String.valueOf(Scripts.eval(type, expression)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        int  | torch.floordiv(1, 0)                 | division by 0
        int  | torch.remainder(1, 0)                | division by 0
        int  | [1, 2][2]                            | out of range
        int  | {"a": 1}["b"]                        | KeyError: b
        str  | "abc"[5]                             | out of range
        int  | int("x1")                            | stoll
        int  | int("")                              | stoll
        int  | int("--7")                           | stoll
        int  | int("9223372036854775808")           | stoll
        int  | int(" 7 ")                           | invalid literal for int() with base 10: ' 7 '
        int  | int("0x10")                          | invalid literal for int() with base 10: '0x10'
        int  | int("1.5")                           | invalid literal for int() with base 10: '1.5'
        float | float("1f")                         | could not convert string to float: '1f'
        float | float("1d")                         | could not convert string to float: '1d'
        float | float("1.5 ")                       | could not convert string to float: '1.5 '
        float | float("1_0")                        | could not convert string to float: '1_0'
        float | float("infx")                       | could not convert string to float: 'infx'
        float | float("1e")                         | could not convert string to float: '1e'
        float | float("0x")                         | could not convert string to float: '0x'
        float | float("abc")                        | stod
        float | float("")                           | stod
        float | float("1e400")                      | stod
        float | float("1e-400")                     | stod
        float | float("1e-310")                     | stod
        int  | torch.ord("é")                       | String for ord() must be 1 character, found 2
        str  | torch.chr(-1)                        | chr() arg not in range(0x110000), found -1
        str  | torch.chr(1114111)                   | chr() arg not in range(0x110000), found 1114111
        int  | torch.floor(1e300)                   | Cannot convert float \
        100000000000000005250476025520442024870446858110815915491585411551180245798890819
        int  | torch.floor(nan)                     | Cannot convert float nan to integer
        int  | torch.ceil(-inf)                     | Cannot convert float -inf to integer
        int  | torch.ceil(-9.3e18)                  | Cannot convert float -9300000000000000000.000000 to integer
        int  | torch.index([1], 2)                  | not in list
        str  | torch.format("{} {}", 1)             | Too few arguments
        int  | torch.pop(annotate(List[int], []))   | empty list
        int  | ops.prim.min(annotate(List[int], [])) | empty sequence
        List[int] | torch.mul([1, 2, 3], 1000000000000) | list length
        str  | torch.mul("ab", 1000000000000)       | string length
        str  | torch.percentFormat("%.2f", 1.5)     | specifier %. is not supported
        int  | torch.__lshift__(1, 64)              | shift: 64
        List[int] | torch.slice([1], 0, 1, 0)       | slice step: 0
        """)
    void wrongUseIsATypedError(String type, String expression, String message) {
        ScriptException e = assertThrows(ScriptException.class, () -> Scripts.eval(type, expression));
        assertTrue(e.getMessage().contains(message), e.getMessage());
    }
}
