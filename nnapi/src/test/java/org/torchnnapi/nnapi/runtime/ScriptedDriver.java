package org.torchnnapi.nnapi.runtime;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.driver.DeviceBuffer;
import org.torchnnapi.nnapi.driver.DeviceRefusal;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.MemoryPreference;
import org.torchnnapi.nnapi.driver.MemoryRole;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.Operation;

/** A device that computes as the reference does, supports what it is told, and misbehaves on order. */
final class ScriptedDriver implements Driver {
    final AtomicInteger prepared = new AtomicInteger();
    final AtomicInteger executed = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();
    /** Released when the test ends, for executions that hang. */
    final CountDownLatch hang = new CountDownLatch(1);

    private final ReferenceDriver reference = new ReferenceDriver();
    private final String name;
    private final Predicate<Operation> supports;
    private float speed = 0.1f;
    private float power = 0.1f;
    private DeviceType type = DeviceType.ACCELERATOR;
    private FeatureLevel level = FeatureLevel.V1_3;
    private Consumer<ExecutionRequest> before = r -> {};
    private Consumer<Model> beforePrepare = m -> {};
    private PartRules rules = PartRules.NONE;
    private byte[] cacheData;
    PrepareOptions lastOptions;

    ScriptedDriver(String name, Predicate<Operation> supports) {
        this.name = name;
        this.supports = supports;
    }

    ScriptedDriver speed(float time, float energy) {
        speed = time;
        power = energy;
        return this;
    }

    ScriptedDriver type(DeviceType newType) {
        type = newType;
        return this;
    }

    ScriptedDriver level(FeatureLevel newLevel) {
        level = newLevel;
        return this;
    }

    /** What happens at every execution, before it computes. */
    ScriptedDriver before(Consumer<ExecutionRequest> action) {
        before = action;
        return this;
    }

    ScriptedDriver beforePrepare(Consumer<Model> action) {
        beforePrepare = action;
        return this;
    }

    ScriptedDriver cacheData(byte[] data) {
        cacheData = data;
        return this;
    }

    final AtomicInteger executedInBursts = new AtomicInteger();
    final AtomicInteger burstsOpen = new AtomicInteger();
    private MemoryPreference memoryPreference = MemoryPreference.NONE;
    private boolean keepsBursts;
    private boolean takesFences;
    private BiFunction<OperandDescriptor, List<MemoryRole>, DeviceBuffer> allocator = (operand, roles) -> null;
    private Function<ByteBuffer, DeviceBuffer> importer = mapped -> null;
    /** By import, its descriptor and the offset in it. */
    final List<List<Long>> imports = new CopyOnWriteArrayList<>();

    ScriptedDriver memoryPreference(MemoryPreference preference) {
        memoryPreference = preference;
        return this;
    }

    @Override
    public boolean keepsCacheData() {
        return cacheData != null;
    }

    @Override
    public MemoryPreference memoryPreference() {
        return memoryPreference;
    }

    ScriptedDriver keepsBursts() {
        keepsBursts = true;
        return this;
    }

    ScriptedDriver takesFences() {
        takesFences = true;
        return this;
    }

    ScriptedDriver allocator(BiFunction<OperandDescriptor, List<MemoryRole>, DeviceBuffer> newAllocator) {
        allocator = newAllocator;
        return this;
    }

    @Override
    public DeviceBuffer allocate(OperandDescriptor operand, List<MemoryRole> roles) {
        return allocator.apply(operand, roles);
    }

    /** What becomes of mapped memory whose descriptor is offered. */
    ScriptedDriver importer(Function<ByteBuffer, DeviceBuffer> newImporter) {
        importer = newImporter;
        return this;
    }

    @Override
    public DeviceBuffer importMemory(int descriptor, long offset, ByteBuffer mapped) {
        imports.add(List.of((long) descriptor, offset));
        return importer.apply(mapped);
    }

    void hang() {
        try {
            hang.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return "scripted";
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public FeatureLevel featureLevel() {
        return level;
    }

    @Override
    public Capabilities capabilities() {
        return Capabilities.uniform(new Capabilities.Performance(speed, power));
    }

    @Override
    public List<DeviceRefusal> refusals(Model model) {
        List<Operation> operations = model.operations();
        return IntStream.range(0, operations.size())
                .filter(i -> !supports.test(operations.get(i)))
                .mapToObj(i -> DeviceRefusal.of(i, "type", operations.get(i).type(), "one this device knows"))
                .toList();
    }

    @Override
    public PartRules partRules() {
        return rules;
    }

    ScriptedDriver rules(PartRules newRules) {
        rules = newRules;
        return this;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        lastOptions = options;
        beforePrepare.accept(model);
        prepared.incrementAndGet();
        PreparedModel inner = reference.prepare(model, PrepareOptions.DEFAULT);
        return new PreparedModel() {
            @Override
            public void execute(ExecutionRequest request) {
                executed.incrementAndGet();
                before.accept(request);
                inner.execute(request);
            }

            @Override
            public byte[] cacheData() {
                return cacheData;
            }

            @Override
            public boolean isFromCache() {
                return Arrays.equals(options.cached(), cacheData) && cacheData != null;
            }

            @Override
            public BurstState openBurst() {
                if (!keepsBursts) {
                    return null;
                }
                burstsOpen.incrementAndGet();
                return new BurstState() {
                    @Override
                    public void execute(ExecutionRequest request) {
                        executedInBursts.incrementAndGet();
                        before.accept(request);
                        inner.execute(request);
                    }

                    @Override
                    public void close() {
                        burstsOpen.decrementAndGet();
                    }
                };
            }

            @Override
            public boolean takesFences() {
                return takesFences;
            }

            @Override
            public void close() {
                closed.incrementAndGet();
                inner.close();
            }
        };
    }
}
