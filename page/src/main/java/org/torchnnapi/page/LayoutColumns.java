package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Lays a group that is far higher than wide in columns, of which each has only its own items' heights. The layers that
 * it has are cut into runs, and the lines that are cut are led on from the foot of one column to the head of the next,
 * in lanes that do not cross each other.
 */
final class LayoutColumns {
    /**
     * Below a layer, where all lines go straight down: within the distance that the layout keeps lines from nodes by.
     */
    private static final double BELOW = 4;

    private static final double LANE = 6;
    private static final double GAP = 10;
    private static final double MARGIN = 12;

    private final Item group;
    /** Where the layers are cut, from the top. */
    private final List<Double> cuts = new ArrayList<>();

    private final List<Column> columns = new ArrayList<>();
    /** For each cut the lines that cross it. */
    private final List<List<Crossing>> crossings = new ArrayList<>();

    /** A run of layers: what it spans as it was laid out, and how far it is moved. */
    private static final class Column {
        double left = Double.POSITIVE_INFINITY;
        double right = Double.NEGATIVE_INFINITY;
        double bottom = Double.NEGATIVE_INFINITY;
        double across;
        double up;

        void take(double from, double to, double low) {
            left = Math.min(left, from);
            right = Math.max(right, to);
            bottom = Math.max(bottom, low);
        }
    }

    /** A line at a cut. */
    private record Crossing(Item.Link link, double x) {}

    private LayoutColumns(Item group) {
        this.group = group;
    }

    /**
     * Moves the items and lines of a group that was laid out in layers from top to bottom, and sets its size.
     *
     * @param top where columns begin
     * @param number of columns, at least 2
     */
    static void fold(Item group, double top, int number) {
        LayoutColumns columns = new LayoutColumns(group);
        columns.cut(number);
        if (!columns.cuts.isEmpty()) {
            columns.measure();
            columns.place(top);
        }
    }

    /** Items whose heights overlap, and whether all are pins. */
    private static final class Layer {
        final double top;
        double bottom;
        boolean pins;

        Layer(Item item) {
            this.top = item.y;
            this.bottom = item.y + item.height;
            this.pins = item.kind == Item.Kind.PIN;
        }
    }

    private void cut(int number) {
        List<Layer> layers = new ArrayList<>();
        group.children.stream()
                .sorted(Comparator.comparingDouble(item -> item.y))
                .forEach(item -> {
                    Layer last = layers.isEmpty() ? null : layers.get(layers.size() - 1);
                    if (last != null && item.y < last.bottom) {
                        last.bottom = Math.max(last.bottom, item.y + item.height);
                        last.pins &= item.kind == Item.Kind.PIN;
                    } else {
                        layers.add(new Layer(item));
                    }
                });
        int begin = 0;
        double end = layers.get(layers.size() - 1).bottom;
        for (int i = 1; i < layers.size() && cuts.size() + 1 < number; i++) {
            double top = layers.get(begin).top;
            double most = (end - top) / (number - cuts.size());
            // A layer goes to the column that has the greater part of it; pins have none of their own.
            if ((layers.get(i).top + layers.get(i).bottom) / 2 - top > most
                    && layers.subList(begin, i).stream().anyMatch(layer -> !layer.pins)
                    && layers.subList(i, layers.size()).stream().anyMatch(layer -> !layer.pins)) {
                cuts.add(layers.get(i - 1).bottom + BELOW);
                begin = i;
            }
        }
    }

    private int column(double y) {
        int column = 0;
        while (column < cuts.size() && y > cuts.get(column)) {
            column++;
        }
        return column;
    }

    /** Finds what columns span, and which lines are cut. */
    private void measure() {
        for (int i = 0; i <= cuts.size(); i++) {
            columns.add(new Column());
            crossings.add(new ArrayList<>());
        }
        group.children.forEach(
                item -> columns.get(column(item.y)).take(item.x, item.x + item.width, item.y + item.height));
        for (Item.Link link : group.links) {
            for (int i = 0; i < link.points.size(); i++) {
                double[] point = link.points.get(i);
                columns.get(column(point[1])).take(point[0], point[0], point[1]);
                if (i + 1 < link.points.size()) {
                    double[] next = link.points.get(i + 1);
                    for (int cut = column(Math.min(point[1], next[1]));
                            cut < column(Math.max(point[1], next[1]));
                            cut++) {
                        crossings.get(cut).add(new Crossing(link, point[0]));
                        columns.get(cut).take(point[0], point[0], cuts.get(cut));
                        columns.get(cut + 1).take(point[0], point[0], cuts.get(cut));
                    }
                }
            }
        }
        // The rightmost line has the lanes that are nearest at the foot and highest at the head, so that none crosses
        // another.
        crossings.forEach(
                lines -> lines.sort(Comparator.comparingDouble(Crossing::x).reversed()));
    }

    private void place(double top) {
        int lanes = crossings.stream().mapToInt(List::size).max().orElse(0);
        double first = group.children.stream().mapToDouble(item -> item.y).min().orElse(0);
        double heads = top + lanes * LANE + GAP;
        double x = MARGIN;
        double bottom = 0;
        for (int i = 0; i < columns.size(); i++) {
            Column column = columns.get(i);
            column.across = x - column.left;
            column.up = heads - (i == 0 ? first : cuts.get(i - 1) + GAP);
            x += column.right - column.left + 2 * GAP + crossings.get(i).size() * LANE;
            bottom = Math.max(
                    bottom, column.bottom + column.up + crossings.get(i).size() * LANE);
        }
        group.links.forEach(link -> {
            List<double[]> moved = moved(link, top);
            link.points.clear();
            link.points.addAll(moved);
        });
        for (Item item : group.children) {
            Column column = columns.get(column(item.y));
            item.x += column.across;
            item.y += column.up;
        }
        group.width = x - 2 * GAP + MARGIN;
        group.height = bottom + MARGIN;
    }

    private List<double[]> moved(Item.Link link, double top) {
        List<double[]> moved = new ArrayList<>();
        for (int i = 0; i < link.points.size(); i++) {
            double[] point = link.points.get(i);
            int at = column(point[1]);
            moved.add(moved(point, at));
            int next = i + 1 < link.points.size() ? column(link.points.get(i + 1)[1]) : at;
            for (int cut = at; cut < next; cut++) {
                moved.addAll(lane(link, point[0], cut, top));
            }
            // A line that goes up, as those to what is called again do.
            for (int cut = at - 1; cut >= next; cut--) {
                List<double[]> down = lane(link, point[0], cut, top);
                for (int j = down.size() - 1; j >= 0; j--) {
                    moved.add(down.get(j));
                }
            }
        }
        return moved;
    }

    private double[] moved(double[] point, int column) {
        return new double[] {point[0] + columns.get(column).across, point[1] + columns.get(column).up};
    }

    /** From the foot of a column to the head of the next. */
    private List<double[]> lane(Item.Link link, double x, int cut, double top) {
        int lane = crossings.get(cut).indexOf(new Crossing(link, x));
        Column from = columns.get(cut);
        double start = x + from.across;
        double foot = Math.max(cuts.get(cut), from.bottom) + from.up + (lane + 1) * LANE;
        double gutter = from.right + from.across + GAP + lane * LANE;
        double head = top + lane * LANE;
        double end = x + columns.get(cut + 1).across;
        return List.of(
                new double[] {start, foot}, new double[] {gutter, foot}, new double[] {gutter, head}, new double[] {
                    end, head
                });
    }
}
