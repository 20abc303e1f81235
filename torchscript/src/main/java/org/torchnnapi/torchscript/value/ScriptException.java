package org.torchnnapi.torchscript.value;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.SourceRange;

/** An exception of the running program, as {@code raise} in the original Python makes it; the message is PyTorch's. */
public class ScriptException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_PLACES = 64;
    /** A program may make a message of any length. */
    private static final int MAX_MESSAGE = 4000;

    private final String pythonType;
    private final transient List<SourceRange> places = new ArrayList<>();

    /** @param pythonType for example {@code builtins.ValueError}; {@code RuntimeError} where the program named none */
    public ScriptException(String pythonType, String message) {
        this(pythonType, pythonType + ": " + message, null);
    }

    /**
     * @param wholeMessage with the type, where it is to be told
     * @param cause what the runtime met
     */
    public ScriptException(String pythonType, String wholeMessage, Throwable cause) {
        super(Strings.beginning(wholeMessage, MAX_MESSAGE), cause);
        this.pythonType = pythonType;
    }

    /** Such as {@code ValueError}; what the program raised. */
    public String pythonType() {
        return pythonType;
    }

    /** Where it happened, innermost first: the failing node, then the calls around it. */
    public List<SourceRange> places() {
        return places == null ? List.of() : Collections.unmodifiableList(places);
    }

    /** Adds a call around the places so far; what is too far out is left away. */
    public void addPlace(SourceRange place) {
        if (places != null && places.size() < MAX_PLACES) {
            places.add(place);
        }
    }
}
