package org.torchnnapi.cli;

import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.tensor.platform.Strings;
import picocli.CommandLine.Command;

/** Shows the NNAPI devices of this machine. */
@Command(
        name = "devices",
        header = "Lists the devices and the kernels.",
        mixinStandardHelpOptions = true,
        description = {
            "Lists the NNAPI devices: name, type, version, feature level, and speed and power relative to the "
                    + "reference CPU. Then what kernels are chosen by: cores, caches, vectors.",
            "They are this library's own, which compute on this machine's processors, and those of drivers on the "
                    + "class path."
        })
final class DevicesCommand implements Callable<Integer> {
    @Override
    public Integer call() {
        TextTable table = new TextTable(
                "device",
                "type",
                "version",
                "feature level",
                "float32 time",
                "float32 power",
                "quant8 time",
                "quant8 power");
        for (Device device : Devices.installed().all()) {
            Performance floats = device.capabilities().of(OperandType.TENSOR_FLOAT32);
            Performance bytes = device.capabilities().of(OperandType.TENSOR_QUANT8_ASYMM);
            table.row(
                    device.name(),
                    device.type(),
                    device.version(),
                    device.featureLevel(),
                    figure(floats.execTime()),
                    figure(floats.powerUsage()),
                    figure(bytes.execTime()),
                    figure(bytes.powerUsage()));
        }
        System.out.print(table);
        System.out.println("cpu and reference are this library's own, and compute on this machine's processors");
        System.out.println("NNAPI runtime: " + Devices.runtimeFeatureLevel());
        System.out.println("processor: " + Machine.current().describe());
        System.out.println("vectors: " + Strings.counted(Kernels.vectorLanes(), "float") + ", "
                + Kernels.vectorRegisters() + " registers");
        Kernels.describe().forEach(System.out::println);
        return 0;
    }

    private static String figure(float value) {
        return value == Float.MAX_VALUE ? "-" : Float.toString(value);
    }
}
