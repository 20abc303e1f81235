package org.torchnnapi.page;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.format.WholeFile;

/**
 * A page of charts about measured times: how they are distributed, and one behind the other. Confined to one thread.
 */
public final class BenchPage {
    private final String title;
    private final Map<String, String> notes = new LinkedHashMap<>();
    private final List<Map<String, Object>> series = new ArrayList<>();

    /** @param title of the page */
    public BenchPage(String title) {
        this.title = title;
    }

    /** @param micros each measured run of a model, in microseconds and in order */
    public BenchPage add(String name, double[] micros) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("name", name);
        entry.put("micros", micros);
        series.add(entry);
        return this;
    }

    /** Says something about the whole, under a title of its own. */
    public BenchPage note(String name, String text) {
        notes.put(name, text);
        return this;
    }

    /** The page. */
    public String html() {
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("title", title);
        data.put("notes", notes);
        data.put("series", series);
        return Html.page(title, data, "bench");
    }

    /**
     * Writes the page; the file is either whole or as it was before.
     *
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        WholeFile.write(file, html());
    }
}
