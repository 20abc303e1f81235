package org.torchnnapi.samples.service;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /classify} with a picture as body. */
@RestController
class ClassifyController {
    private final Batcher batcher;
    private final Duration deadline;

    ClassifyController(Batcher batcher, @Value("${request.deadline}") Duration deadline) {
        this.batcher = batcher;
        this.deadline = deadline;
    }

    /** The class with the highest score. */
    record Answer(int digit, float score) {}

    @PostMapping("/classify")
    CompletableFuture<Answer> classify(@RequestBody byte[] picture) throws IOException {
        return batcher.classify(DigitPicture.read(picture))
                .orTimeout(deadline.toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(scores -> {
                    int best = 0;
                    for (int i = 1; i < scores.length; i++) {
                        best = scores[i] > scores[best] ? i : best;
                    }
                    return new Answer(best, scores[best]);
                });
    }

    @ExceptionHandler(IOException.class)
    ResponseEntity<Map<String, String>> noPicture(IOException e) {
        return ResponseEntity.badRequest().body(Map.of("error", String.valueOf(e.getMessage())));
    }

    @ExceptionHandler(TimeoutException.class)
    ResponseEntity<Map<String, String>> late() {
        return ResponseEntity.status(HttpStatus.GATEWAY_TIMEOUT).body(Map.of("error", "not answered in time"));
    }

    @ExceptionHandler(RejectedExecutionException.class)
    ResponseEntity<Map<String, String>> busy(RejectedExecutionException e) {
        return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
                .header("Retry-After", "1")
                .body(Map.of("error", String.valueOf(e.getMessage())));
    }
}
