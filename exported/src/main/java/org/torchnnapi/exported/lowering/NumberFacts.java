package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What one run finds of its numbers: how they compare, what they leave of one another, how often loops run. Where such
 * numbers follow from sizes that are left open, the program asserts the same of other sizes. Confined to one thread.
 */
final class NumberFacts {
    /** What a fact is about. */
    enum Kind {
        EQ("=="),
        NE("!="),
        LT("<"),
        LE("<="),
        GT(">"),
        GE(">="),
        SUM("+"),
        DIFFERENCE("-"),
        PRODUCT("*"),
        QUOTIENT("//"),
        REST("%"),
        /** The number is the same in each call. */
        FIXED(""),
        /** A size, the number of a view of it, and where this ends, which may be beyond the size. */
        BOUNDS("");

        private final String python;

        Kind(String python) {
            this.python = python;
        }

        String python() {
            return python;
        }

        boolean compares() {
            return ordinal() <= GE.ordinal();
        }

        /** Whether a comparison holds. */
        boolean holds(long left, long right) {
            return switch (this) {
                case EQ -> left == right;
                case NE -> left != right;
                case LT -> left < right;
                case LE -> left <= right;
                case GT -> left > right;
                case GE -> left >= right;
                default -> throw new IllegalStateException(name());
            };
        }

        /** What holds where this does not. */
        Kind opposite() {
            return switch (this) {
                case EQ -> NE;
                case NE -> EQ;
                case LT -> GE;
                case GE -> LT;
                case GT -> LE;
                case LE -> GT;
                default -> throw new IllegalStateException(name());
            };
        }

        /** What holds of the second and the first where this does of the first and the second. */
        Kind turned() {
            return switch (this) {
                case LT -> GT;
                case GT -> LT;
                case LE -> GE;
                case GE -> LE;
                default -> this;
            };
        }
    }

    /**
     * A fact.
     *
     * @param result of arithmetic, or a bound; 0 for others
     * @param before calls that were recorded before it was found
     */
    record Fact(Kind kind, Number left, Number right, Number result, int before, SourceRange place) {}

    private static final Map<String, Kind> KINDS = Map.ofEntries(
            Map.entry("aten::eq", Kind.EQ),
            Map.entry("aten::ne", Kind.NE),
            Map.entry("aten::lt", Kind.LT),
            Map.entry("aten::le", Kind.LE),
            Map.entry("aten::gt", Kind.GT),
            Map.entry("aten::ge", Kind.GE),
            Map.entry("aten::add", Kind.SUM),
            Map.entry("aten::sub", Kind.DIFFERENCE),
            Map.entry("aten::mul", Kind.PRODUCT),
            Map.entry("aten::floordiv", Kind.QUOTIENT),
            Map.entry("aten::remainder", Kind.REST));
    private static final Set<String> EXTREMES = Set.of("prim::max", "prim::min");

    private final List<Fact> facts = new ArrayList<>();

    List<Fact> all() {
        return facts;
    }

    /** A loop runs so often. */
    void fixed(long number, int before, SourceRange place) {
        facts.add(new Fact(Kind.FIXED, number, 0L, 0L, before, place));
    }

    /** Whether an operator compares two numbers. */
    static boolean compares(Node node, Object[] given) {
        Kind kind = KINDS.get(node.kind());
        return kind != null && kind.compares() && given[0] instanceof Number && given[1] instanceof Number;
    }

    /** An operator was called. */
    void called(Node node, Object[] given, Object result, int before) {
        Kind kind = KINDS.get(node.kind());
        if (kind != null && given.length == 2) {
            two(kind, given, result, before, node.range());
        } else if (EXTREMES.contains(node.kind())) {
            List<Object> items =
                    given.length == 1 && given[0] instanceof ScriptList list ? list.items() : List.of(given);
            for (Object item : items) {
                if (result instanceof Number found && item instanceof Number number) {
                    compared(found, number, before, node.range());
                }
            }
        } else if (node.is("prim::abs") && given[0] instanceof Number number) {
            compared(number, 0L, before, node.range());
        } else if (result instanceof Boolean) {
            eachNumber(given, number -> facts.add(new Fact(Kind.FIXED, number, 0L, 0L, before, node.range())));
        }
    }

    /**
     * A view begins or ends at a number that may be beyond its tensor's end.
     *
     * @param view its number in the run
     * @param bound the number
     */
    void bounded(long size, int view, long bound, int before, SourceRange place) {
        facts.add(new Fact(Kind.BOUNDS, size, view, bound, before, place));
    }

    private void two(Kind kind, Object[] given, Object result, int before, SourceRange place) {
        if (given[0] instanceof Number left && given[1] instanceof Number right) {
            if (kind.compares()) {
                facts.add(
                        new Fact(Boolean.TRUE.equals(result) ? kind : kind.opposite(), left, right, 0L, before, place));
            } else if (result instanceof Number number) {
                facts.add(new Fact(kind, left, right, number, before, place));
            }
        } else if (given[0] instanceof ScriptList left
                && given[1] instanceof ScriptList right
                && left.size() == right.size()) {
            pairs(left, right, before, place);
        }
    }

    /** Lists that are alike in all items, or differ in the first that does. */
    private void pairs(ScriptList left, ScriptList right, int before, SourceRange place) {
        for (int i = 0; i < left.size(); i++) {
            if (!(left.get(i) instanceof Number one && right.get(i) instanceof Number other)) {
                return;
            }
            boolean alike = one.equals(other);
            facts.add(new Fact(alike ? Kind.EQ : Kind.NE, one, other, 0L, before, place));
            if (!alike) {
                return;
            }
        }
    }

    private void compared(Number left, Number right, int before, SourceRange place) {
        int order = Double.compare(left.doubleValue(), right.doubleValue());
        facts.add(new Fact(order < 0 ? Kind.LE : Kind.GE, left, right, 0L, before, place));
    }

    /** What is done with a number. */
    private interface Visitor {
        void number(Number number);
    }

    private static void eachNumber(Object[] values, Visitor visitor) {
        for (Object value : values) {
            if (value instanceof Number number) {
                visitor.number(number);
            } else if (value instanceof ScriptList list) {
                eachNumber(list.items().toArray(), visitor);
            }
        }
    }
}
