package org.torchnnapi.torchscript.pickle;

/**
 * An instance of a class of the archive or of a custom class, before its class is known. The state of a class without
 * {@code __setstate__} is a {@link PickledDict} from attribute to value; otherwise it is what {@code __getstate__}
 * gave.
 */
public final class PickledObject {
    private final String className;
    private Object state;
    private boolean built;

    public PickledObject(String className) {
        this.className = className;
    }

    public PickledObject(String className, Object state) {
        this.className = className;
        setState(state);
    }

    /** For example {@code __torch__.net.Net}. */
    public String className() {
        return className;
    }

    public Object state() {
        return state;
    }

    /** Whether a state was given, which may be None. */
    public boolean hasState() {
        return built;
    }

    public void setState(Object newState) {
        state = newState;
        built = true;
    }

    @Override
    public String toString() {
        return "<" + className + ">";
    }
}
