package org.torchnnapi.samples.service;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.torchnnapi.api.NnapiRuntime;
import org.torchnnapi.engine.LoadedModel;

/** Classifies pictures by a TorchScript model, ordinary or converted. */
@SpringBootApplication
public class ServiceApplication {
    public static void main(String[] args) {
        SpringApplication.run(ServiceApplication.class, args);
    }

    @Bean(destroyMethod = "close")
    LoadedModel model(@Value("${model}") String file) throws IOException {
        return NnapiRuntime.create().load(Path.of(file));
    }

    @Bean(destroyMethod = "close")
    Batcher batcher(
            LoadedModel model,
            MeterRegistry metrics,
            @Value("${batch.size}") int size,
            @Value("${batch.wait}") Duration wait,
            @Value("${batch.queue}") int queue) {
        return new Batcher(model, metrics, size, wait, queue);
    }
}
