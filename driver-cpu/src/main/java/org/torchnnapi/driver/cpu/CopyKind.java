package org.torchnnapi.driver.cpu;

/** Operations that only rename dimensions: the elements stay in their order. */
final class CopyKind implements Kind {
    @Override
    public String refusal(Site site) {
        return Site.first(site.typeProblem(0), site.variableProblem(1));
    }

    @Override
    public Step compile(Site site, Places places) {
        int in = places.offset(site.operation().input(0));
        int out = places.offset(site.operation().output(0));
        boolean real = site.isFloat();
        return Step.elementwise(places.count(site.operation().output(0)), memory -> {
            Object values = real ? memory.floats() : memory.bytes();
            return (from, count) -> System.arraycopy(values, in + from, values, out + from, count);
        });
    }
}
