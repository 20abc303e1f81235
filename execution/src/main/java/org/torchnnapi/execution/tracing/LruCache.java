package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.torchnnapi.execution.interp.Interpreter;

/**
 * Values by key, those used last: so many at most. A value is made by the thread that asks first, while others find or
 * make those of other keys; who asks for the same waits. Safe for use by several threads.
 */
final class LruCache<K, V> {
    private final Map<K, FutureTask<V>> entries;

    LruCache(int most) {
        entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1;

            @Override
            protected boolean removeEldestEntry(Map.Entry<K, FutureTask<V>> eldest) {
                return size() > most;
            }
        };
    }

    /** The value if it has been made and passes the test, otherwise null. */
    V find(K key, Predicate<V> test) {
        FutureTask<V> task;
        synchronized (this) {
            task = entries.get(key);
        }
        V value = task != null && task.isDone() ? ended(task) : null;
        return value != null && test.test(value) ? value : null;
    }

    /**
     * The value if it has been made and passes the test, otherwise a new one.
     *
     * @param make does not ask for the same key; what it throws is thrown here, and the next who asks makes the value
     */
    V get(K key, Predicate<V> test, Supplier<V> make) {
        while (true) {
            FutureTask<V> own = new FutureTask<>(make::get);
            FutureTask<V> task;
            synchronized (this) {
                task = entries.get(key);
                V known = task != null && task.isDone() ? ended(task) : null;
                if (task == null || task.isDone() && (known == null || !test.test(known))) {
                    entries.put(key, own);
                    task = own;
                }
            }
            if (task == own) {
                own.run();
                return result(own, key);
            }
            V made = await(task);
            if (made != null) {
                return made;
            }
        }
    }

    private V result(FutureTask<V> own, K key) {
        try {
            return own.get();
        } catch (ExecutionException e) {
            synchronized (this) {
                entries.remove(key, own);
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e.getCause();
        } catch (InterruptedException e) {
            throw new IllegalStateException("a task that has run: not done", e);
        }
    }

    /** Null if it failed. */
    private static <V> V ended(FutureTask<V> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private static <V> V await(FutureTask<V> task) {
        try {
            return task.get();
        } catch (ExecutionException e) {
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            Interpreter.checkInterrupt();
            return null;
        }
    }

    synchronized void put(K key, V value) {
        FutureTask<V> task = new FutureTask<>(() -> value);
        task.run();
        entries.put(key, task);
    }

    synchronized void removeIf(Predicate<V> test) {
        entries.values().removeIf(task -> task.isDone() && ended(task) != null && test.test(ended(task)));
    }

    /** Those made so far, the one used longest ago first. */
    synchronized Map<K, V> made() {
        Map<K, V> all = new LinkedHashMap<>();
        entries.forEach((key, task) -> {
            V value = task.isDone() ? ended(task) : null;
            if (value != null) {
                all.put(key, value);
            }
        });
        return all;
    }

    List<V> values() {
        return new ArrayList<>(made().values());
    }
}
