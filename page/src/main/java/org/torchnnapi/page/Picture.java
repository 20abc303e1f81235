package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The items of a page's graph, in the order of their work, and what joins them. */
final class Picture {
    /** Items drawn at most: far beyond what anyone looks at, and what a file of hostile calls ends at. */
    static final int MOST_ITEMS = 20_000;

    final List<Item> items = new ArrayList<>();
    private final Set<List<Integer>> links = new LinkedHashSet<>();
    private boolean full;

    /** @return null once there are as many as may be */
    Item add(Item parent, Item.Kind kind, String label) {
        if (items.size() >= MOST_ITEMS) {
            full = true;
            return null;
        }
        Item item = new Item(items.size(), parent, kind, label);
        items.add(item);
        if (parent != null) {
            parent.children.add(item);
        }
        return item;
    }

    /** Whether something had to be left out. */
    boolean isFull() {
        return full;
    }

    /** Joins two items, or the groups that they are in, as far as both are in one and the same. */
    void link(Item from, Item to) {
        Item a = from;
        Item b = to;
        while (a.depth() > b.depth()) {
            a = a.parent;
        }
        while (b.depth() > a.depth()) {
            b = b.parent;
        }
        while (a.parent != b.parent) {
            a = a.parent;
            b = b.parent;
        }
        if (a != b && a.parent != null && links.add(List.of(a.number, b.number))) {
            a.parent.links.add(new Item.Link(a, b));
        }
    }
}
