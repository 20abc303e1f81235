package org.torchnnapi.execution.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.interp.Scripts;

/** Expected values are genuine PyTorch's. */
class StringOperatorsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        str       | torch.format("{}:{} {}", "a", 2, 1.5)      | a:2 1.5
        str       | torch.percentFormat("%d items %s", (3, "ok")) | 3 items ok
        str       | torch.percentFormat("%f%%", 12.345)        | 12.345000%
        List[str] | torch.split("a,b,,c", ",")                 | [a, b, , c]
        List[str] | torch.split("  a  b ")                     | [a, b]
        List[str] | torch.split("a,b,c", ",", 1)               | [a, b,c]
        List[str] | torch.rsplit("a,b,c", ",", 1)              | [a,b, c]
        List[str] | torch.splitlines("a\\nb\\n")               | [a, b]
        str       | torch.join("-", ["x", "y"])                | x-y
        str       | torch.strip("  q ")                        | q
        str       | torch.rstrip("qxx", "x")                   | q
        int       | torch.find("hello", "l")                   | 2
        int       | torch.rfind("hello", "l")                  | 3
        int       | torch.find("hello", "l", 0, 2)             | -1
        int       | torch.count("banana", "an")                | 2
        bool      | torch.startswith("hello", "he")            | true
        bool      | torch.endswith("hello", "lo")              | true
        str       | torch.replace("banana", "an", "AN", 1)     | bANana
        str       | torch.upper("aB")                          | AB
        str       | torch.title("hello world")                 | Hello World
        str       | torch.slice("hello", None, None, -1)       | olleh
        str       | torch.slice("hello", 1, -1)                | ell
        str       | "hello"[-1]                                | o
        bool      | torch.isdigit("12")                        | true
        str       | torch.zfill("-7", 4)                       | 00-7
        str       | torch.center("a", 4, "*")                  | *a**
        str       | torch.mul("ab", 2)                         | abab
        int       | torch.len("abc")                           | 3
        List[str] | torch.split("a b  c")                      | [a, b, c]
        List[str] | torch.split("a b c d", None, 1)            | [a, b, c, d]
        List[str] | torch.splitlines("x\\ny\\r\\nz")           | [x, y, , z]
        int       | torch.len(torch.splitlines("x\\ny\\r\\nz", True)) | 7
        int       | torch.count("banana", "an", 0, 4)          | 2
        int       | torch.count("banana", "an", 2, 3)          | 0
        int       | torch.count("banana", "a", 5, 5)           | 0
        int       | torch.count("banana", "a", -3)             | 2
        int       | torch.rfind("banana", "na", 0, 5)          | 2
        str       | torch.center("ab", 5, "*")                 | **ab*
        str       | torch.center("ab", 7, "*")                 | ***ab**
        str       | torch.center("a", 6, "*")                  | **a***
        str       | torch.ljust("ab", 4, "*")                  | ab**
        str       | torch.rjust("ab", 4, "*")                  | **ab
        str       | torch.lstrip("hello", "eh")                | llo
        str       | torch.expandtabs("ab\\tc", 4)              | ab  c
        str       | torch.swapcase("aB_c")                     | Ab_C
        str       | torch.capitalize("hELLO")                  | Hello
        str       | torch.title("they're bill's")              | They'Re Bill'S
        bool      | torch.istitle("Hello World")               | true
        bool      | torch.istitle("")                          | false
        bool      | torch.isidentifier("aB_c")                 | false
        bool      | torch.isupper("AB1")                       | true
        bool      | torch.islower("ab1")                       | true
        bool      | torch.isalnum("ab1")                       | true
        bool      | torch.isalpha("ab1")                       | false
        bool      | torch.isspace("")                          | false
        bool      | torch.isprintable("")                      | true
        str       | torch.replace("banana", "a", "")           | bnn
        int       | torch.len("aéb€")                          | 7
        int       | torch.find("aéb€", "b")                    | 3
        int       | torch.find("aéb€", "é", 3)                 | -1
        int       | torch.rfind("aéb€", "b")                   | 3
        int       | torch.count("aéb€", "é")                   | 1
        bool      | torch.isalpha("é")                         | false
        bool      | torch.isprintable("é")                     | false
        bool      | torch.lt("￿", "😀")                   | true
        """)
    void methods(String type, String expression, String expected) {
        assertEquals(expected, String.valueOf(Scripts.eval(type, expression)));
    }

    /** Strings are bytes: those of what is cut out of a character, in hexadecimal. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        "aéb€"[1]                            | c3
        "aéb€"[-1]                           | ac
        torch.slice("aéb€", 1, 3)            | c3a9
        torch.slice("aéb€", None, None, 2)   | 61a9e2ac
        torch.slice("aéb€", None, None, -1)  | ac82e262a9c361
        torch.add("aéb€"[1], "aéb€"[2])      | c3a9
        torch.add("aéb€", "é")               | 61c3a962e282acc3a9
        torch.upper("aéb€")                  | 41c3a942e282ac
        torch.lower("AÉB")                   | 61c38962
        torch.swapcase("aéB")                | 41c3a962
        torch.capitalize("éA")               | c3a961
        torch.title("aéb€")                  | 41c3a942e282ac
        torch.center("aéb€", 9, "*")         | 2a61c3a962e282ac2a
        torch.ljust("é", 3)                  | c3a920
        torch.rjust("é", 3)                  | 20c3a9
        torch.zfill("é", 3)                  | 30c3a9
        torch.replace("aéb€", "é", "xy")     | 61787962e282ac
        torch.strip("aéb€é", "é")            | 61c3a962e282ac
        torch.join("é", ["a", "b"])          | 61c3a962
        torch.join("", torch.list("aéb€"))   | 61c3a962e282ac
        torch.split("a c d")[0]         | 61
        torch.split("a c d")[1]         | 8363
        torch.splitlines("a\205b")[0]      | 61c2
        torch.chr(233)                       | e9
        torch.chr(300)                       | 2c
        torch.chr(1114110)                   | fe
        torch.mul("😀"[0], 2)                | f0f0
        """)
    void cutsBytes(String expression, String expected) {
        long count = (Long) Scripts.eval("int", "torch.len(" + expression + ")");
        StringBuilder bytes = new StringBuilder();
        for (long i = 0; i < count; i++) {
            bytes.append(
                    String.format("%02x", (Long) Scripts.eval("int", "torch.ord((" + expression + ")[" + i + "])")));
        }
        assertEquals(expected, bytes.toString());
    }

    /** What was cut apart and put together again is the same string. */
    @ParameterizedTest
    @ValueSource(strings = {"aéb€", "😀", "\ud800x", "\uffff", "plain"})
    void bytesBecomeTheStringAgain(String text) {
        assertEquals(text, Scripts.eval("str", "torch.join(\"\", torch.list(\"" + text + "\"))"));
    }
}
