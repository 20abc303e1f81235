package org.torchnnapi.nnapi.runtime;

import java.util.function.Consumer;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.nnapi.model.NnapiException;

/** The end of an execution that another device does where the first one fails. */
final class RescuedFence implements Fence {
    private final Fence end;
    private final Consumer<NnapiException> rescue;
    private boolean over;
    private NnapiException failure;

    /** @param rescue does what the failed device was to do, at the first wait, or throws */
    RescuedFence(Fence end, Consumer<NnapiException> rescue) {
        this.end = end;
        this.rescue = rescue;
    }

    @Override
    public synchronized void await() {
        if (!over) {
            over = true;
            try {
                end.await();
            } catch (NnapiException e) {
                try {
                    rescue.accept(e);
                } catch (NnapiException unrescued) {
                    failure = unrescued;
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public boolean isSignaled() {
        return end.isSignaled();
    }

    @Override
    public int export() {
        return end.export();
    }
}
