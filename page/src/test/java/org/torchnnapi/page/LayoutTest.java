package org.torchnnapi.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Every item lies in its group and on no other, however large the graph is. */
class LayoutTest {
    @Test
    void twoThousandItemsOfOneGroup() {
        Picture picture = new Picture();
        Item root = picture.add(null, Item.Kind.GROUP, "flat");
        Random random = new Random(5);
        for (int i = 0; i < 2_000; i++) {
            Item item = picture.add(root, Item.Kind.OPERATION, "operation " + i);
            if (i > 0) {
                picture.link(root.children.get(i - 1), item);
            }
            if (i > 9 && i % 5 == 0) {
                picture.link(root.children.get(i - 2 - random.nextInt(7)), item);
            }
        }
        Layout.run(root);
        check(root);
        assertTrue(root.height < 3 * root.width && root.width < 6 * root.height, root.width + " by " + root.height);
        root.links.forEach(link -> assertTrue(link.points.size() >= 2, "a way for every link"));
    }

    /**
     * One input that every item of a chain takes: the layered layout would have a place for each line in each layer.
     */
    @Test
    void manyLongLinksAreLaidPlainly() {
        Picture picture = new Picture();
        Item root = picture.add(null, Item.Kind.GROUP, "shared");
        Item input = picture.add(root, Item.Kind.PIN, "x");
        for (int i = 0; i < 4_000; i++) {
            Item item = picture.add(root, Item.Kind.OPERATION, "operation " + i);
            picture.link(input, item);
            if (i > 0) {
                picture.link(root.children.get(i), item);
            }
        }
        assertTimeout(Duration.ofSeconds(5), () -> Layout.run(root));
        check(root);
        assertTrue(root.height < 3 * root.width && root.width < 6 * root.height, root.width + " by " + root.height);
        root.links.forEach(link -> assertEquals(2, link.points.size()));
    }

    @Test
    void groupsInGroups() {
        Picture picture = new Picture();
        Item root = picture.add(null, Item.Kind.GROUP, "nested");
        Item last = null;
        for (int g = 0; g < 6; g++) {
            Item group = picture.add(root, Item.Kind.GROUP, "group " + g);
            for (int i = 0; i < 5; i++) {
                Item item = picture.add(group, Item.Kind.OPERATION, "op");
                if (last != null) {
                    picture.link(last, item);
                }
                last = item;
            }
        }
        Layout.run(root);
        check(root);
        assertEquals(5, root.links.size(), "links between operations of two groups join the groups");
        assertEquals(4, root.children.get(0).links.size());
    }

    @Test
    void shortChainsAreColumns() {
        Picture picture = new Picture();
        Item root = chain(picture, 8);
        Layout.run(root);
        check(root);
        root.children.forEach(item -> assertEquals(
                root.children.get(0).x + root.children.get(0).width / 2,
                item.x + item.width / 2,
                1,
                item.label + " below the others"));
    }

    @Test
    void longChainsAreColumnsWhoseLinesPassNoItem() {
        Picture picture = new Picture();
        Item root = chain(picture, 60);
        for (int i = 0; i + 20 < 60; i += 7) {
            picture.link(root.children.get(i), root.children.get(i + 20));
        }
        // What is called again is drawn once, and a line leads back to it.
        picture.link(root.children.get(50), root.children.get(5));
        Item tall = root.children.get(30);
        for (int i = 0; i < 5; i++) {
            picture.add(tall, Item.Kind.OPERATION, "inner");
        }
        Layout.run(root);
        check(root);
        assertTrue(root.height < 2 * root.width, root.width + " by " + root.height);
        for (Item.Link link : root.links) {
            requireEnd(link.from, link.points.get(0));
            requireEnd(link.to, link.points.get(link.points.size() - 1));
            for (int i = 1; i < link.points.size(); i++) {
                double[] a = link.points.get(i - 1);
                double[] b = link.points.get(i);
                assertTrue(Math.abs(a[0] - b[0]) < 0.01 || Math.abs(a[1] - b[1]) < 0.01, "straight across or down");
                assertTrue(
                        Math.min(a[0], b[0]) >= 0
                                && Math.max(a[0], b[0]) <= root.width
                                && Math.min(a[1], b[1]) >= 0
                                && Math.max(a[1], b[1]) <= root.height,
                        "in the group");
                for (Item item : root.children) {
                    assertTrue(
                            Math.max(a[0], b[0]) <= item.x + 0.5
                                    || Math.min(a[0], b[0]) >= item.x + item.width - 0.5
                                    || Math.max(a[1], b[1]) <= item.y + 0.5
                                    || Math.min(a[1], b[1]) >= item.y + item.height - 0.5,
                            link.from.label + " to " + link.to.label + " past " + item.label);
                }
            }
        }
        double last = root.children.stream()
                .filter(item -> item.kind == Item.Kind.PIN)
                .mapToDouble(item -> item.x)
                .max()
                .orElseThrow();
        assertTrue(
                root.children.stream().anyMatch(item -> item.kind == Item.Kind.OPERATION && item.x + item.width > last),
                "a pin has no column of its own");
    }

    private static Item chain(Picture picture, int length) {
        Item root = picture.add(null, Item.Kind.GROUP, "chain");
        for (int i = 0; i < length; i++) {
            Item item = picture.add(
                    root,
                    i == 0 || i == length - 1 ? Item.Kind.PIN : i == 30 ? Item.Kind.GROUP : Item.Kind.OPERATION,
                    "operation " + i);
            item.under = i == length - 1 ? "result" : "argument";
            if (i > 0) {
                picture.link(root.children.get(i - 1), item);
            }
        }
        return root;
    }

    private static void requireEnd(Item item, double[] point) {
        assertTrue(
                point[0] >= item.x - 0.5
                        && point[0] <= item.x + item.width + 0.5
                        && (Math.abs(point[1] - item.y) < 0.5 || Math.abs(point[1] - item.y - item.height) < 0.5),
                item.label + " has its line");
    }

    @Test
    void whatIsBeyondTheBoundIsLeftOut() {
        Picture picture = new Picture();
        Item root = picture.add(null, Item.Kind.GROUP, "huge");
        for (int i = 0; i < Picture.MOST_ITEMS + 5; i++) {
            picture.add(root, Item.Kind.GLUE, "x");
        }
        assertTrue(picture.isFull());
        assertEquals(Picture.MOST_ITEMS, picture.items.size());
    }

    private static void check(Item group) {
        List<Item> children = group.children;
        for (int i = 0; i < children.size(); i++) {
            Item a = children.get(i);
            assertTrue(
                    a.x >= 0 && a.y >= 0 && a.x + a.width <= group.width && a.y + a.height <= group.height,
                    a.label + " in its group");
            for (int j = i + 1; j < children.size(); j++) {
                Item b = children.get(j);
                assertTrue(
                        a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y,
                        a.label + " beside " + b.label);
            }
            check(a);
        }
    }
}
