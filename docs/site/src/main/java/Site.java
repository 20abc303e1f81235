import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.HeadingAnchorExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Makes pages of the documents: {@code Site ROOT OUTPUT [GENERATED]}. Files in folder GENERATED become pages of their
 * own: what commands printed. A link to a file that is not there is an error.
 */
public final class Site {
    private static final String README = "README.md";
    private static final List<String> TOP = List.of(README, "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md");
    private static final Pattern LINK = Pattern.compile("(href|src)=\"([^\"#:]+)(#[^\"]*)?\"");
    private static final String STYLE = """
        :root { color-scheme: light dark; } body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: \
        60rem; padding: 1rem; }
        nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem; border-bottom: 1px solid #8888; padding-bottom: .6rem; }
        pre { overflow: auto; padding: .6rem; background: #8881; } code { font-family: ui-monospace, monospace; \
        font-size: .9em; }
        table { border-collapse: collapse; display: block; overflow: auto; } td, th { border: 1px solid #8886; \
        padding: .2rem .5rem; text-align: left; } img { max-width: 100%; }
        """;

    private final Path root;
    private final Path output;
    private final Map<String, String> pages = new TreeMap<>();
    private final List<String> broken = new ArrayList<>();

    private Site(Path root, Path output) {
        this.root = root;
        this.output = output;
    }

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            throw new IllegalArgumentException("arguments: " + args.length + " (expected: ROOT OUTPUT [GENERATED])");
        }
        new Site(Path.of(args[0]).toRealPath(), Path.of(args[1]).toAbsolutePath())
                .make(args.length > 2 ? Path.of(args[2]) : null);
    }

    private void make(Path generated) throws IOException {
        Map<String, Path> documents = new TreeMap<>();
        TOP.forEach(name -> documents.put(name, root.resolve(name)));
        for (Path file : listed(root.resolve("docs"), ".md")) {
            documents.put("docs/" + file.getFileName(), file);
        }
        for (Path sample : listed(root.resolve("samples"), "")) {
            Path file = sample.resolve(README);
            if (Files.exists(file)) {
                documents.put("samples/" + sample.getFileName() + "/" + README, file);
            }
        }
        if (generated != null) {
            for (Path file : listed(generated, ".md")) {
                documents.put("docs/generated/" + file.getFileName(), file);
            }
        }
        documents.keySet().forEach(name -> pages.put(name, page(name)));
        for (Map.Entry<String, Path> document : documents.entrySet()) {
            write(document.getKey(), Files.readString(document.getValue()));
        }
        if (!broken.isEmpty()) {
            throw new IOException("links: " + broken + " (expected: to files of this project)");
        }
        System.out.println("wrote " + pages.size() + " pages to " + output);
    }

    /** Of a folder's own document, a page of the folder's name beside it. */
    private static String page(String name) {
        return name.equals(README)
                ? "index.html"
                : name.toLowerCase(Locale.ROOT).replaceAll("(/readme)?\\.md$", ".html");
    }

    private static List<Path> listed(Path folder, String ending) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    private void copy(Path file) throws IOException {
        Path target = output.resolve(root.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
    }

    private void write(String name, String markdown) throws IOException {
        List<Extension> extensions = List.of(TablesExtension.create(), HeadingAnchorExtension.create());
        String body = HtmlRenderer.builder()
                .extensions(extensions)
                .build()
                .render(Parser.builder().extensions(extensions).build().parse(markdown));
        Path target = output.resolve(pages.get(name));
        String up =
                "../".repeat((int) pages.get(name).chars().filter(c -> c == '/').count());
        StringBuilder menu = new StringBuilder("<nav>");
        pages.forEach((document, page) -> menu.append("<a href=\"")
                .append(up)
                .append(page)
                .append("\">")
                .append(
                        document.equals(README)
                                ? "torch-nnapi"
                                : page.replaceFirst("^samples/", "sample: ").replaceAll(".*/|\\.html$", ""))
                .append("</a>"));
        Files.createDirectories(target.getParent());
        Files.writeString(
                target,
                "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                        + "content=\"width=device-width\"><title>torch-nnapi: "
                        + pages.get(name).replaceAll(".*/|\\.html$", "") + "</title><style>" + STYLE
                        + "</style></head><body>" + menu + "</nav>\n" + linked(name, body, up) + "</body></html>\n",
                StandardCharsets.UTF_8);
    }

    /** Links to documents lead to their pages; other files that are linked to are copied. */
    private String linked(String name, String body, String up) throws IOException {
        Path folder = Path.of(name).getParent();
        Matcher links = LINK.matcher(body);
        StringBuilder out = new StringBuilder();
        while (links.find()) {
            Path named = (folder == null ? Path.of(links.group(2)) : folder.resolve(links.group(2))).normalize();
            String page = pages.get(named.toString().replace('\\', '/'));
            if (page == null && (named.startsWith("..") || !Files.isRegularFile(root.resolve(named)))) {
                broken.add(name + ": " + links.group(2));
            } else if (page == null) {
                copy(root.resolve(named));
            }
            String target = up + (page != null ? page : named.toString().replace('\\', '/'));
            links.appendReplacement(
                    out,
                    Matcher.quoteReplacement(
                            links.group(1) + "=\"" + target + (links.group(3) == null ? "" : links.group(3)) + "\""));
        }
        return links.appendTail(out).toString();
    }
}
