package org.torchnnapi.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
            assertTrue(a.x >= 0 && a.y >= 0 && a.x + a.width <= group.width && a.y + a.height <= group.height, a.label + " in its group");
            for (int j = i + 1; j < children.size(); j++) {
                Item b = children.get(j);
                assertTrue(a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y, a.label + " beside " + b.label);
            }
            check(a);
        }
    }
}
