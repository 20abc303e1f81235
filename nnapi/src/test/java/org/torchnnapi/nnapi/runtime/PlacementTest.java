package org.torchnnapi.nnapi.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.driver.DeviceType;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;

class PlacementTest {
    private static CompilationBuilder builder(Model model, ScriptedDriver... drivers) {
        return new CompilationBuilder(model).setAvailable(Devices.of(drivers));
    }

    private static Set<String> devices(Placement placement) {
        return placement.operations().stream()
                .map(Placement.OperationPlacement::device)
                .collect(Collectors.toSet());
    }

    @Test
    void fastDeviceTakesLargeWork() {
        Placement placement = builder(Models.chain(3, 100_000), new ScriptedDriver("npu", o -> true))
                .finish()
                .placement();
        assertEquals(Set.of("npu"), devices(placement));
        assertEquals(1, placement.partitions().size());
        assertTrue(placement.operations().get(0).others().get(0).reason().contains("us with its boundaries"));
    }

    @Test
    void smallWorkIsNotWorthTheBoundary() {
        Placement placement = builder(Models.chain(3, 4), new ScriptedDriver("npu", o -> true))
                .finish()
                .placement();
        assertEquals(Set.of("reference"), devices(placement));
    }

    @Test
    void preferenceDecidesBetweenTimeAndPower() {
        ScriptedDriver hot = new ScriptedDriver("hot", o -> true).speed(0.1f, 5f);
        ScriptedDriver cool = new ScriptedDriver("cool", o -> true).speed(0.5f, 0.1f);
        Model model = Models.chain(2, 200_000);
        assertEquals(
                Set.of("hot"),
                devices(builder(model, hot, cool)
                        .setPreference(Preference.SUSTAINED_SPEED)
                        .finish()
                        .placement()));
        assertEquals(
                Set.of("cool"),
                devices(builder(model, hot, cool)
                        .setPreference(Preference.LOW_POWER)
                        .finish()
                        .placement()));
    }

    @Test
    void alternatingSupportCostsTooManyBoundaries() {
        ScriptedDriver half = new ScriptedDriver("half", o -> o.type() == OperationType.ADD);
        Placement placement = builder(Models.chain(10, 1000), half).finish().placement();
        assertEquals(1, placement.partitions().size());
        assertEquals(Set.of("reference"), devices(placement));
    }

    @Test
    void refusalsAreReported() {
        ScriptedDriver half = new ScriptedDriver("half", o -> o.type() == OperationType.ADD);
        Placement placement = builder(Models.chain(1, 1000), half).finish().placement();
        Placement.Alternative other = placement.operations().get(1).others().get(0);
        assertEquals("half", other.device());
        assertEquals("type: SOFTMAX (expected: one this device knows)", other.reason());
        assertEquals(Problem.of("type", OperationType.SOFTMAX, "one this device knows"), other.refusal());
        assertTrue(Double.isNaN(other.cost()));
    }

    @Test
    void boundariesArePriced() {
        ScriptedDriver half = new ScriptedDriver("half", o -> o.type() == OperationType.ADD);
        Placement placement = builder(Models.chain(1, 1_000_000), half).finish().placement();
        assertEquals(Set.of("half", "reference"), devices(placement));
        assertEquals(
                List.of("application", "half"),
                placement.boundaries().stream().map(Placement.Boundary::from).toList());
        assertTrue(
                placement.boundaries().stream().allMatch(b -> b.bytes() == 4_000_000 && b.cost() > 100),
                placement.toText());
    }

    @Test
    void rulesAreObeyedAndNamed() {
        ScriptedDriver npu = new ScriptedDriver("npu", o -> true);
        Model model = Models.chain(2, 100_000);
        PlacementRules rules = PlacementRules.NONE.deny("npu", "SOFTMAX#3");
        Placement placement =
                builder(model, npu).setPlacementRules(rules).finish().placement();
        assertEquals("npu", placement.operations().get(1).device());
        assertEquals("reference", placement.operations().get(3).device());
        assertEquals(
                "placement: denied by rule \"deny npu SOFTMAX#3\" (expected: allowed)",
                placement.operations().get(3).others().get(0).reason());
        assertEquals(List.of(), rules.withoutEffect(List.of(placement)));
        assertEquals(
                List.of("deny npu RELU"),
                rules.deny("npu", "RELU").allow("npu", "RELU").withoutEffect(List.of(placement)));
        assertEquals(
                Set.of("npu"),
                devices(builder(Models.chain(1, 4), npu)
                        .setPlacementRules(PlacementRules.NONE.deny("reference", "*"))
                        .finish()
                        .placement()));
        assertEquals(
                Set.of("npu"),
                devices(builder(Models.chain(1, 4), npu)
                        .setPlacementRules(PlacementRules.NONE.only("n*"))
                        .finish()
                        .placement()));
    }

    @Test
    void operationThatNoDeviceTakesIsNamed() {
        ScriptedDriver half = new ScriptedDriver("half", o -> o.type() == OperationType.ADD);
        NnapiException e = assertThrows(
                NnapiException.class,
                () -> builder(Models.chain(1, 4), half)
                        .setPlacementRules(PlacementRules.NONE.deny("reference", "*"))
                        .finish());
        assertTrue(e.getMessage().startsWith("operation 1 SOFTMAX: no device takes it (half: type"), e.getMessage());
    }

    @Test
    void featureLevelIsARefusal() {
        ScriptedDriver old =
                new ScriptedDriver("old", o -> true).level(FeatureLevel.V1_1).type(DeviceType.CPU);
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor half = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 4);
        int x = builder.addOperand(half);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(half);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        Placement placement = builder(builder.finish(), old).finish().placement();
        assertEquals("reference", placement.operations().get(0).device());
        assertTrue(
                placement.operations().get(0).others().get(0).reason().startsWith("feature level: NNAPI 1.2"),
                placement.toText());
    }

    @Test
    void mapHoldsOnlyPlainValues() {
        String text = builder(Models.chain(1, 1_000_000), new ScriptedDriver("npu", o -> true))
                .finish()
                .placement()
                .toMap()
                .toString();
        assertTrue(text.contains("partitions=[{"), text);
        assertTrue(text.contains("device=npu"), text);
    }
}
