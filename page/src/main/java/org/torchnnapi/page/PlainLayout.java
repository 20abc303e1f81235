package org.torchnnapi.page;

/**
 * A layout for groups with more links than can be led around others: items in rows, in the order of their work, and
 * straight lines between them. It takes time in proportion to items and links.
 */
final class PlainLayout {
    private static final double GAP = 18;

    private PlainLayout() {}

    /**
     * Gives the children of a group, whose sizes are known, their places, and the group its size.
     *
     * @param head height of the strip that its title has
     * @param width that the title takes
     */
    static void arrange(Item group, double head, double margin, double width) {
        double area = 0;
        double widest = 0;
        for (Item child : group.children) {
            area += (child.width + GAP) * (child.height + GAP);
            widest = Math.max(widest, child.width);
        }
        double right = Math.max(Math.sqrt(area * Layout.ASPECT), widest);
        double x = margin;
        double y = head + margin;
        double row = 0;
        double used = 0;
        for (Item child : group.children) {
            if (x > margin && x + child.width > right) {
                x = margin;
                y += row + GAP;
                row = 0;
            }
            child.x = x;
            child.y = y;
            x += child.width + GAP;
            row = Math.max(row, child.height);
            used = Math.max(used, x - GAP);
        }
        for (Item.Link link : group.links) {
            link.points.clear();
            link.points.add(new double[] {link.from.x + link.from.width / 2, link.from.y + link.from.height});
            link.points.add(new double[] {link.to.x + link.to.width / 2, link.to.y});
        }
        group.head = head;
        group.width = Math.max(used + margin, width);
        group.height = y + row + margin;
    }
}
