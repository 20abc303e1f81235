package org.torchnnapi.page;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;

/**
 * The groups of an NNAPI model's operations by the modules that they come from: those modules that have several
 * operations, but not the same as a group around.
 */
final class ModuleGroups {
    private final Picture picture;
    private final Item model;
    /** How many operations come from a module or from what is in it, by its path. */
    private final Map<String, Integer> operations = new HashMap<>();

    private final Map<String, Item> groups = new HashMap<>();

    /** @param modules for each operation the path of its module, empty where that is not known */
    ModuleGroups(Picture picture, Item model, List<String> modules) {
        this.picture = picture;
        this.model = model;
        modules.forEach(module -> paths(module).forEach(path -> operations.merge(path, 1, Integer::sum)));
        operations.put("", modules.size());
    }

    /** The paths of a module and of those around it, the outermost first; none for an empty one. */
    private static List<String> paths(String module) {
        List<String> paths = new ArrayList<>();
        for (int dot = module.indexOf('.'); dot >= 0; dot = module.indexOf('.', dot + 1)) {
            paths.add(module.substring(0, dot));
        }
        if (!module.isEmpty()) {
            paths.add(module);
        }
        return paths;
    }

    /** The innermost group for an operation of a module, made when it is first asked for. */
    Item of(String module) {
        List<String> paths = paths(module);
        Item around = model;
        String aroundPath = "";
        for (int i = 0; i < paths.size(); i++) {
            String path = paths.get(i);
            int here = operations.get(path);
            boolean sameWithin = i + 1 < paths.size() && operations.get(paths.get(i + 1)) == here;
            if (here > 1 && here < operations.get(aroundPath) && !sameWithin) {
                around = group(around, path, path.substring(aroundPath.isEmpty() ? 0 : aroundPath.length() + 1));
                aroundPath = path;
            }
        }
        return around;
    }

    private Item group(Item around, String path, String label) {
        Item known = groups.get(path);
        if (known != null) {
            return known;
        }
        Item made = picture.add(around, Item.Kind.GROUP, label);
        if (made == null) {
            return around;
        }
        made.under = Strings.counted(operations.get(path), "operation");
        made.fact("Module", path);
        groups.put(path, made);
        return made;
    }
}
