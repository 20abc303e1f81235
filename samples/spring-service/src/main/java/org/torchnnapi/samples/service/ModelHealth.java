package org.torchnnapi.samples.service;

import java.util.concurrent.TimeUnit;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.stereotype.Component;
import org.torchnnapi.engine.LoadedModel;

/** Healthy while the model answers an empty picture within a second. */
@Component
class ModelHealth extends AbstractHealthIndicator {
    private final Batcher batcher;
    private final LoadedModel model;

    ModelHealth(Batcher batcher, LoadedModel model) {
        this.batcher = batcher;
        this.model = model;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) throws Exception {
        float[] scores = batcher.classify(new float[DigitPicture.ELEMENTS]).get(1, TimeUnit.SECONDS);
        builder.status(batcher.isAlive() ? "UP" : "DOWN")
                .withDetail("classes", scores.length)
                .withDetail("nnapiParts", model.nnapiParts().size());
    }
}
