package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;

/** A node of a picture: an operation, or a group that others lie in. */
final class Item {
    /** What an item is, as the page names it. */
    enum Kind {
        GROUP,
        NNAPI,
        OPERATION,
        GLUE,
        PIN
    }

    /** The way from one child of an item to another, as drawn: points in the item's coordinates. */
    static final class Link {
        final Item from;
        final Item to;
        final List<double[]> points = new ArrayList<>();

        Link(Item from, Item to) {
            this.from = from;
            this.to = to;
        }
    }

    private static final int MAX_FACT = 1000;

    final int number;
    final Item parent;
    final Kind kind;
    final String label;
    /** What else is said under the label, such as the class of a module; empty for nothing. */
    String under = "";
    /** Where it runs, as the legend names it; empty where that is not known. */
    String device = "";
    /** Milliseconds of one run; NaN where that is not known. */
    double millis = Double.NaN;
    /** Signal to noise beside another model; NaN where that is not known. */
    double decibels = Double.NaN;

    final List<Item> children = new ArrayList<>();
    final List<Link> links = new ArrayList<>();
    /** Titles and what is said under them: lines of text, each a fact. */
    final Map<String, List<String>> facts = new LinkedHashMap<>();

    final List<Map<String, Object>> weights = new ArrayList<>();
    double x;
    double y;
    double width;
    double height;
    /** Height of the strip that a group's title has. */
    double head;

    Item(int number, Item parent, Kind kind, String label) {
        this.number = number;
        this.parent = parent;
        this.kind = kind;
        this.label = Strings.shown(label);
    }

    /** Adds a line under a title. */
    void fact(String title, String line) {
        facts.computeIfAbsent(title, t -> new ArrayList<>()).add(Strings.beginning(line, MAX_FACT));
    }

    int depth() {
        int depth = 0;
        for (Item at = parent; at != null; at = at.parent) {
            depth++;
        }
        return depth;
    }

    /** Whether a group around it, near or far, is of a kind. */
    boolean isWithin(Kind wanted) {
        return parent != null && (parent.kind == wanted || parent.isWithin(wanted));
    }

    boolean isGroup() {
        return kind == Kind.GROUP || kind == Kind.NNAPI;
    }
}
