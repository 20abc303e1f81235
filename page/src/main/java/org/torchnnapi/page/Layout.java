package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.eclipse.elk.alg.layered.options.LayerConstraint;
import org.eclipse.elk.alg.layered.options.LayeredOptions;
import org.eclipse.elk.core.RecursiveGraphLayoutEngine;
import org.eclipse.elk.core.math.ElkPadding;
import org.eclipse.elk.core.options.CoreOptions;
import org.eclipse.elk.core.options.Direction;
import org.eclipse.elk.core.options.EdgeRouting;
import org.eclipse.elk.core.util.BasicProgressMonitor;
import org.eclipse.elk.graph.ElkEdge;
import org.eclipse.elk.graph.ElkEdgeSection;
import org.eclipse.elk.graph.ElkNode;
import org.eclipse.elk.graph.util.ElkGraphUtil;

/**
 * Gives the items of a picture their places, by the layered layout of the Eclipse Layout Kernel, group by group from
 * the inside out.
 */
final class Layout {
    private static final double CHARACTER = 7.2;
    private static final double OPERATION_HEIGHT = 30;
    private static final double PIN_HEIGHT = 18;
    private static final double HEAD = 26;
    private static final double HEAD_SHARE = 0.06;
    private static final double MARGIN = 12;
    /** What is so many times as high as wide is laid in columns, unless a window can show it as it is. */
    private static final double TALL = 2;

    private static final double WINDOW = 900;
    static final double ASPECT = 1.5;
    /** Of more items the layout is sought less thoroughly. */
    private static final int MANY = 400;
    /** Of layers that links pass; beyond, the layout would take longer than anyone waits for a page. */
    private static final long MOST_CROSSINGS = 20_000;

    private static final int MOST_ITEMS = 3_000;
    private static final int MOST_LAYERS = 2_500;
    /** Of items side by side, which are ordered over and over. */
    private static final int MOST_BESIDE = 300;

    private Layout() {}

    static void run(Item root) {
        if (!root.isGroup()) {
            root.width = Math.max(54, root.label.length() * CHARACTER + 20);
            root.height = root.kind == Item.Kind.PIN ? PIN_HEIGHT : OPERATION_HEIGHT;
            return;
        }
        root.children.forEach(Layout::run);
        if (root.children.size() > MOST_ITEMS || cost(root) > MOST_CROSSINGS) {
            PlainLayout.arrange(root, HEAD, MARGIN, titleWidth(root));
            return;
        }
        arrange(root);
        if (root.height > TALL * root.width && root.height > WINDOW) {
            LayoutColumns.fold(root, root.head + MARGIN, (int)
                    Math.max(2, Math.round(Math.sqrt(ASPECT * root.height / root.width))));
        }
    }

    /**
     * Layers that links pass, each of which the layered layout gives a place there: what it takes grows faster than
     * their number. Those of layers and of items in one count too: it follows the longest chain by recursion, and
     * orders a layer over and over.
     */
    private static long cost(Item root) {
        Map<Item, Integer> layers = new HashMap<>();
        Map<Item, List<Item.Link>> links = new HashMap<>();
        root.links.forEach(
                link -> links.computeIfAbsent(link.to, to -> new ArrayList<>()).add(link));
        Map<Integer, Integer> beside = new HashMap<>();
        long passed = 0;
        // Children are in the order of their work, so that those which a link comes from are laid already.
        for (Item child : root.children) {
            int layer = 0;
            List<Item.Link> into = links.getOrDefault(child, List.of());
            for (Item.Link link : into) {
                layer = Math.max(layer, layers.getOrDefault(link.from, -1) + 1);
            }
            for (Item.Link link : into) {
                passed += layer - 1 - layers.getOrDefault(link.from, layer - 1);
            }
            layers.put(child, layer);
            if (layer > MOST_LAYERS || beside.merge(layer, 1, Integer::sum) > MOST_BESIDE) {
                return MOST_CROSSINGS + 1;
            }
        }
        return passed;
    }

    private static double titleWidth(Item group) {
        return group.label.length() * CHARACTER + 40;
    }

    private static void arrange(Item root) {
        ElkNode graph = ElkGraphUtil.createGraph();
        graph.setProperty(CoreOptions.ALGORITHM, LayeredOptions.ALGORITHM_ID);
        graph.setProperty(CoreOptions.DIRECTION, Direction.DOWN);
        graph.setProperty(CoreOptions.EDGE_ROUTING, EdgeRouting.ORTHOGONAL);
        // Titles of large groups are read from afar.
        double head = HEAD
                + HEAD_SHARE
                        * root.children.stream()
                                .mapToDouble(child -> child.height)
                                .max()
                                .orElse(0);
        root.head = head;
        graph.setProperty(CoreOptions.PADDING, new ElkPadding(head + MARGIN, MARGIN, MARGIN, MARGIN));
        graph.setProperty(CoreOptions.SPACING_NODE_NODE, 16.0);
        graph.setProperty(LayeredOptions.SPACING_NODE_NODE_BETWEEN_LAYERS, 18.0);
        graph.setProperty(LayeredOptions.SPACING_EDGE_NODE_BETWEEN_LAYERS, 8.0);
        graph.setProperty(LayeredOptions.THOROUGHNESS, root.children.size() > MANY ? 1 : 7);
        Map<Item, ElkNode> nodes = new HashMap<>();
        for (Item child : root.children) {
            ElkNode node = ElkGraphUtil.createNode(graph);
            node.setDimensions(child.width, child.height);
            if (child.kind == Item.Kind.PIN) {
                node.setProperty(
                        LayeredOptions.LAYERING_LAYER_CONSTRAINT,
                        child.under.equals("result") ? LayerConstraint.LAST : LayerConstraint.FIRST);
            }
            nodes.put(child, node);
        }
        Map<Item.Link, ElkEdge> edges = new HashMap<>();
        root.links.forEach(
                link -> edges.put(link, ElkGraphUtil.createSimpleEdge(nodes.get(link.from), nodes.get(link.to))));
        new RecursiveGraphLayoutEngine().layout(graph, new BasicProgressMonitor());
        nodes.forEach((item, node) -> {
            item.x = node.getX();
            item.y = node.getY();
        });
        edges.forEach((link, edge) -> {
            link.points.clear();
            for (ElkEdgeSection section : edge.getSections()) {
                link.points.add(new double[] {section.getStartX(), section.getStartY()});
                section.getBendPoints().forEach(bend -> link.points.add(new double[] {bend.getX(), bend.getY()}));
                link.points.add(new double[] {section.getEndX(), section.getEndY()});
            }
        });
        root.width = Math.max(graph.getWidth(), titleWidth(root));
        root.height = Math.max(graph.getHeight(), head + 2 * MARGIN);
    }
}
