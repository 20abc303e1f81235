package org.torchnnapi.benchmarks.peers;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Results as tables for a terminal, for Markdown and for programs. */
record Report(List<Measurement> all, List<MachineSpeedUp> machine) {
    /** Ours over the fastest comparable peer: above 1, ours is faster. */
    private record Ratio(Measurement ours, Measurement peer, double medians, double minima) {}

    /** One model with one thread count, a line an engine. */
    String table(List<Measurement> measured) {
        if (measured.isEmpty()) {
            return "";
        }
        StringBuilder text = new StringBuilder(title(measured.get(0)))
                .append(String.format(
                        Locale.ROOT,
                        "%n  %-28s %10s %10s %10s  %s%n",
                        "",
                        "median ms",
                        "min ms",
                        "of fastest",
                        "off PyTorch's output"));
        double best = measured.stream()
                .filter(Measurement::comparable)
                .mapToDouble(Measurement::median)
                .min()
                .orElse(Double.NaN);
        for (Measurement m : measured) {
            text.append(String.format(
                    Locale.ROOT,
                    "  %-28s %10.3f %10.3f %9.2fx  %s%n",
                    m.engine(),
                    m.median(),
                    m.minimum(),
                    m.median() / best,
                    difference(m)));
        }
        ratio(measured)
                .ifPresent(r -> text.append(String.format(
                        Locale.ROOT,
                        "  %s is %.2fx as fast as %s (by minima %.2fx)%n",
                        r.ours.engine(),
                        r.medians,
                        r.peer.engine(),
                        r.minima)));
        return text.toString();
    }

    /** What each engine gains by several threads on a model that it ran with one too, and what the machine does. */
    String speedUps(String model, int threads) {
        StringBuilder text = new StringBuilder();
        for (Measurement m : all) {
            if (m.model().equals(model) && m.threads() == threads && threads > 1) {
                withOneThread(m)
                        .ifPresent(one -> text.append(String.format(
                                Locale.ROOT,
                                "  %-28s %9.2fx %9.2fx of one thread's speed%n",
                                m.engine(),
                                one.median() / m.median(),
                                one.minimum() / m.minimum())));
            }
        }
        machine.stream()
                .filter(gain -> gain.model().equals(model) && gain.threads() == threads)
                .forEach(gain -> text.append(String.format(
                        Locale.ROOT,
                        "  %-28s %9.2fx, of byte dot products %.2fx%n",
                        "this machine's multiply-adds",
                        gain.floats(),
                        gain.bytes())));
        return text.toString();
    }

    private Optional<Measurement> withOneThread(Measurement m) {
        return all.stream()
                .filter(one -> one.model().equals(m.model()) && one.engine().equals(m.engine()) && one.threads() == 1)
                .findFirst();
    }

    /** All models: ours over the fastest peer, and what was asked of int8 against PyTorch's float path for phones. */
    String summary() {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n%-22s %7s %10s %-28s %8s %8s%n",
                "model",
                "threads",
                "ours ms",
                "fastest peer",
                "ratio",
                "by min"));
        for (List<Measurement> group : groups()) {
            ratio(group)
                    .ifPresent(r -> text.append(String.format(
                            Locale.ROOT,
                            "%-22s %7d %10.3f %-28s %7.2fx %7.2fx%n",
                            r.ours.model(),
                            r.ours.threads(),
                            r.ours.median(),
                            r.peer.engine(),
                            r.medians,
                            r.minima)));
        }
        mobileRatio().ifPresent(line -> text.append(line).append(System.lineSeparator()));
        return text.toString();
    }

    List<String> csv() {
        List<String> lines = new ArrayList<>(List.of(Measurement.HEADER));
        all.forEach(m -> lines.add(m.line()));
        return lines;
    }

    String markdown() {
        StringBuilder text = new StringBuilder(
                String.format("| model | threads | ours, ms | fastest peer | its ms | ratio | by minima |%n"
                        + "|---|---|---|---|---|---|---|%n"));
        for (List<Measurement> group : groups()) {
            ratio(group)
                    .ifPresent(r -> text.append(String.format(
                            Locale.ROOT,
                            "| %s | %d | %.2f (%s) | %s | %.2f | %.2fx | %.2fx |%n",
                            r.ours.model(),
                            r.ours.threads(),
                            r.ours.median(),
                            r.ours.engine().replace("torch-nnapi ", ""),
                            r.peer.engine(),
                            r.peer.median(),
                            r.medians,
                            r.minima)));
        }
        mobileRatio().ifPresent(line -> text.append(String.format("%n%s.%n", line)));
        text.append(String.format("%n| model | threads | engine | median, ms | minimum, ms | off PyTorch's output "
                + "|%n|---|---|---|---|---|---|%n"));
        all.forEach(m -> text.append(String.format(
                Locale.ROOT,
                "| %s | %d | %s | %.3f | %.3f | %s |%n",
                m.model(),
                m.threads(),
                m.engine(),
                m.median(),
                m.minimum(),
                difference(m))));
        if (!machine.isEmpty()) {
            text.append(String.format(
                    "%n| model | threads | ours | speed-up | by minima | the machine's in float | in int8 "
                            + "|%n|---|---|---|---|---|---|---|%n"));
            for (MachineSpeedUp gain : machine) {
                all.stream()
                        .filter(m -> m.ours() && m.model().equals(gain.model()) && m.threads() == gain.threads())
                        .forEach(m -> text.append(String.format(
                                Locale.ROOT,
                                "| %s | %d | %s | %s | %s | %.2fx | %.2fx |%n",
                                m.model(),
                                m.threads(),
                                m.engine().replace("torch-nnapi ", ""),
                                speedUp(m, Measurement::median),
                                speedUp(m, Measurement::minimum),
                                gain.floats(),
                                gain.bytes())));
            }
        }
        return text.toString();
    }

    /** Empty where one thread was not measured in the same run. */
    private String speedUp(Measurement m, ToDoubleFunction<Measurement> time) {
        return withOneThread(m)
                .map(one -> String.format(Locale.ROOT, "%.2fx", time.applyAsDouble(one) / time.applyAsDouble(m)))
                .orElse("");
    }

    static String title(Measurement m) {
        return m.model() + ", " + m.threads() + (m.threads() == 1 ? " thread" : " threads");
    }

    /** The measurements of each model and thread count, in their order. */
    List<List<Measurement>> groups() {
        return List.copyOf(all.stream()
                .collect(Collectors.groupingBy(Report::title, LinkedHashMap::new, Collectors.toList()))
                .values());
    }

    private static String difference(Measurement m) {
        String percent = String.format(Locale.ROOT, m.difference() < 0.001 ? "%.4f%%" : "%.1f%%", 100 * m.difference());
        return m.comparable() ? percent : percent + ": wrong, not counted";
    }

    private static Optional<Ratio> ratio(List<Measurement> group) {
        Optional<Measurement> ours = fastest(group, m -> m.ours(), Measurement::median);
        Optional<Measurement> peer = fastest(group, m -> !m.ours(), Measurement::median);
        if (ours.isEmpty() || peer.isEmpty()) {
            return Optional.empty();
        }
        double ourMinimum = fastest(group, m -> m.ours(), Measurement::minimum)
                .orElseThrow()
                .minimum();
        double peerMinimum = fastest(group, m -> !m.ours(), Measurement::minimum)
                .orElseThrow()
                .minimum();
        return Optional.of(new Ratio(
                ours.get(), peer.get(), peer.get().median() / ours.get().median(), peerMinimum / ourMinimum));
    }

    private static Optional<Measurement> fastest(
            List<Measurement> group, Predicate<Measurement> side, ToDoubleFunction<Measurement> time) {
        return group.stream().filter(side).filter(Measurement::comparable).min(Comparator.comparingDouble(time));
    }

    private Optional<String> mobileRatio() {
        Optional<Measurement> mobile = find("mobilenet_v2", m -> m.engine().startsWith("PyTorch mobile"));
        Optional<Measurement> ours = find("mobilenet_v2-int8", Measurement::ours);
        return mobile.flatMap(m -> ours.map(o -> String.format(
                Locale.ROOT,
                "MobileNetV2, one thread: %s int8 is %.1fx as fast as %s in float",
                o.engine(),
                m.median() / o.median(),
                m.engine())));
    }

    private Optional<Measurement> find(String model, Predicate<Measurement> engine) {
        return all.stream()
                .filter(m -> m.model().equals(model) && m.threads() == 1)
                .filter(engine)
                .min(Comparator.comparingDouble(Measurement::median));
    }
}
