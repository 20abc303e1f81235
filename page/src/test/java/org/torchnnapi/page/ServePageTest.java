package org.torchnnapi.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ServePageTest {
    private static final String HOSTILE = "</script><script>alert(1)</script><!--";

    @Test
    void itRunsItsOwnScriptAndAsksItsOwnServerAlone() {
        String html = ServePage.html(Map.of("name", HOSTILE));
        assertFalse(html.contains(HOSTILE), "text is no markup");
        Matcher policy = Pattern.compile("http-equiv=\"Content-Security-Policy\" content=\"([^\"]*)\"")
                .matcher(html);
        assertTrue(policy.find());
        assertEquals(
                "default-src 'none'; script-src H; style-src H; img-src data: blob:; connect-src 'self'; "
                        + "frame-src 'self'; base-uri 'none'; form-action 'none'",
                policy.group(1).replaceAll("'sha256-[^']*'", "H"));
        assertFalse(html.matches("(?s).*(src|href)=\"?(https?:|//).*"), "nothing is fetched");
        assertFalse(html.matches("(?s).* (style|on[a-z]+)=\".*"), "what the policy would refuse");
    }

    @Test
    void everyFieldHasALabel() {
        String html = ServePage.html(Map.of());
        Matcher fields = Pattern.compile("<(input|select|textarea)[^>]*?(?: id=\"([^\"]*)\")?[^>]*>")
                .matcher(html);
        int found = 0;
        while (fields.find()) {
            int label = html.lastIndexOf("<label", fields.start());
            boolean isInside = label > html.lastIndexOf("</label>", fields.start());
            assertTrue(isInside || html.contains("<label for=\"" + fields.group(2) + "\">"), fields::group);
            found++;
        }
        assertTrue(found > 10, "fields: " + found);
    }
}
