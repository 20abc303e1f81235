package org.torchnnapi.samples.service;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Refuses bodies that are larger than a picture may be, by what they say before anything is read and as they are read,
 * and those that come too slowly.
 */
@Component
class BodyLimit extends OncePerRequestFilter {
    private final int limit;
    private final Duration deadline;

    BodyLimit(@Value("${request.max-bytes}") int limit, @Value("${request.deadline}") Duration deadline) {
        this.limit = limit;
        this.deadline = deadline;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getContentLengthLong() > limit) {
            response.setHeader("Connection", "close");
            response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            return;
        }
        long end = System.nanoTime() + deadline.toNanos();
        chain.doFilter(
                new HttpServletRequestWrapper(request) {
                    @Override
                    public ServletInputStream getInputStream() throws IOException {
                        return new Limited(super.getInputStream(), limit, end);
                    }
                },
                response);
    }

    /** A body that ends with an error once it is too long, or too late. */
    private static final class Limited extends ServletInputStream {
        private final ServletInputStream body;
        private final long end;
        private int left;

        Limited(ServletInputStream body, int limit, long end) {
            this.body = body;
            this.end = end;
            left = limit;
        }

        @Override
        public int read() throws IOException {
            int read = body.read();
            count(read < 0 ? 0 : 1);
            return read;
        }

        @Override
        public int read(byte[] into, int from, int length) throws IOException {
            int read = body.read(into, from, length);
            count(Math.max(0, read));
            return read;
        }

        private void count(int bytes) throws IOException {
            left -= bytes;
            if (left < 0) {
                throw new IOException("body: too long (expected: a picture)");
            }
            if (System.nanoTime() - end > 0) {
                throw new IOException("body: too slow (expected: all of it within the deadline)");
            }
        }

        @Override
        public boolean isFinished() {
            return body.isFinished();
        }

        @Override
        public boolean isReady() {
            return body.isReady();
        }

        @Override
        public void setReadListener(ReadListener listener) {
            body.setReadListener(listener);
        }
    }
}
