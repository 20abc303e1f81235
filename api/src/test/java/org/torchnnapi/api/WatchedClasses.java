package org.torchnnapi.api;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Loads the library anew and notes what it asks for by name, as the agent of native-image does: classes, resources, and
 * which classes ask.
 */
final class WatchedClasses extends URLClassLoader {
    private static final String OURS = "org.torchnnapi.";

    private final Set<String> classes = new TreeSet<>();
    private final Set<String> resources = new TreeSet<>();
    private final Set<String> asking = new TreeSet<>();

    private WatchedClasses(URL[] urls) {
        super(urls, getPlatformClassLoader());
    }

    /** With all that the virtual machine was given, and the folder of the test classes. */
    static WatchedClasses ofThisPath() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String property : List.of("jdk.module.path", "java.class.path")) {
            for (String entry : System.getProperty(property, "").split(File.pathSeparator)) {
                if (!entry.isEmpty()) {
                    urls.add(Path.of(entry).toUri().toURL());
                }
            }
        }
        Path tests =
                Path.of(WatchedClasses.class.getResource("WatchedClasses.class").toURI());
        urls.add(tests.resolve("../../../..").normalize().toUri().toURL());
        return new WatchedClasses(urls.toArray(URL[]::new));
    }

    Set<String> classes() {
        return classes;
    }

    Set<String> resources() {
        return resources;
    }

    Set<String> asking() {
        return asking;
    }

    @Override
    protected synchronized Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith(OURS) && asks("forName", "forName0")) {
            classes.add(name);
            // What linking it takes is loaded within this call, and so known from what is asked for.
            initialise(own(name));
        }
        // The platform's loader knows the modules that the virtual machine was started with.
        return name.startsWith(OURS) || name.startsWith("org.pytorch.") ? own(name) : super.loadClass(name, resolve);
    }

    private Class<?> own(String name) throws ClassNotFoundException {
        Class<?> loaded = findLoadedClass(name);
        return loaded == null ? findClass(name) : loaded;
    }

    private void initialise(Class<?> type) throws ClassNotFoundException {
        try {
            Class.forName(type.getName(), true, this);
        } catch (LinkageError notHere) {
            // Who asked for it is told the same.
        }
    }

    @Override
    public URL getResource(String name) {
        if (asks("getResourceAsStream", "getResource")) {
            resources.add(name);
        }
        URL own = findResource(name);
        return own == null ? super.getResource(name) : own;
    }

    /** Whether one of our classes asks by one of these methods of {@link Class}; if so it is noted. */
    private synchronized boolean asks(String... methods) {
        List<StackWalker.StackFrame> frames = StackWalker.getInstance().walk(Stream::toList);
        int at = 0;
        // What leads from the method to this loader is the virtual machine's.
        while (at < frames.size()
                && (frames.get(at).getClassName().equals(WatchedClasses.class.getName())
                        || frames.get(at).getClassName().startsWith("java.")
                                && !frames.get(at).getClassName().equals(Class.class.getName()))) {
            if (frames.get(at).getMethodName().startsWith("defineClass")) {
                return false;
            }
            at++;
        }
        int asked = at;
        while (at < frames.size()
                && frames.get(at).getClassName().equals(Class.class.getName())
                && List.of(methods).contains(frames.get(at).getMethodName())) {
            at++;
        }
        String caller = at == asked || at == frames.size() ? "" : frames.get(at).getClassName();
        if (!caller.startsWith(OURS) || caller.equals(WatchedClasses.class.getName())) {
            return false;
        }
        asking.add(caller);
        return true;
    }

    /** Whether a resource is there. */
    boolean has(String name) {
        return findResource(name) != null;
    }
}
