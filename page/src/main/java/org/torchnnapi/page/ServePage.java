package org.torchnnapi.page;

import java.util.List;
import java.util.Map;

/**
 * The page of a server on this machine that does what the commands do: it shows what {@code torch-nnapi serve} answers,
 * and asks nobody else. Confined to one thread.
 */
public final class ServePage {
    private static final String OWN_SERVER =
            " blob:; connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'";

    private ServePage() {}

    /**
     * The page.
     *
     * @param data what it knows before it asks: maps, lists, texts and numbers
     */
    public static String html(Map<String, Object> data) {
        return Html.page("torch-nnapi", data, "serve", List.of("\n" + Html.resource("serve.js")), "serve", OWN_SERVER);
    }
}
