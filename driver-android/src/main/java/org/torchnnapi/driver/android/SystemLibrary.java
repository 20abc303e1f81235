package org.torchnnapi.driver.android;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * A library with NNAPI's C interface, which is never unloaded. Its functions are named without their prefix,
 * ANeuralNetworks. Thread-safe.
 */
final class SystemLibrary {
    private final String name;
    private final long handle;
    private final Map<String, Long> functions = new ConcurrentHashMap<>();

    private SystemLibrary(String name, long handle) {
        this.name = name;
        this.handle = handle;
    }

    /** @throws NnapiException UNAVAILABLE_DEVICE if it does not load */
    static SystemLibrary open(String name) {
        ForeignMemory text = ForeignMemory.of(name);
        long handle = NativeCalls.open(text.address());
        Reachability.fence(text);
        if (handle == 0) {
            throw new NnapiException(
                    ResultCode.UNAVAILABLE_DEVICE,
                    "the system's NNAPI: " + name + " does not load (" + ForeignMemory.text(NativeCalls.failure())
                            + ")");
        }
        return new SystemLibrary(name, handle);
    }

    String name() {
        return name;
    }

    boolean has(String function) {
        return address(function) != 0;
    }

    private long address(String function) {
        Long known = functions.get(function);
        if (known == null) {
            ForeignMemory text = ForeignMemory.of("ANeuralNetworks" + function);
            known = NativeCalls.find(handle, text.address());
            Reachability.fence(text);
            functions.put(function, known);
        }
        return known;
    }

    private long required(String function) {
        long address = address(function);
        if (address == 0) {
            throw new NnapiException(
                    ResultCode.UNAVAILABLE_DEVICE,
                    "the system's NNAPI: " + name + " has no ANeuralNetworks" + function
                            + " (expected: a release that has)");
        }
        return address;
    }

    /** Calls a function, at most with six integers or addresses, and gives what it returns. */
    long call(String function, long... arguments) {
        long address = required(function);
        return call(address, arguments);
    }

    /** Calls the function at an address. */
    static long call(long address, long... arguments) {
        return NativeCalls.call(
                address,
                at(arguments, 0),
                at(arguments, 1),
                at(arguments, 2),
                at(arguments, 3),
                at(arguments, 4),
                at(arguments, 5));
    }

    private static long at(long[] arguments, int i) {
        return i < arguments.length ? arguments[i] : 0;
    }

    /** Calls a function that returns a result code, which must be NO_ERROR. */
    void must(String function, long... arguments) {
        require(function, (int) call(function, arguments));
    }

    /** Calls a function of three integers or addresses and, behind them, a float. */
    void mustWithFloat(String function, float last, long a, long b, long c) {
        long address = required(function);
        require(function, (int) NativeCalls.callWithFloat(address, a, b, c, last));
    }

    /** Calls a function of a handle and nanoseconds. */
    void mustWithDuration(String function, long handle, long nanos) {
        long address = required(function);
        require(function, (int) NativeCalls.callWithDuration(address, handle, nanos));
    }

    private static void require(String function, int code) {
        if (code != 0) {
            throw failed(function, code);
        }
    }

    /** What a function's result code stands for; one that no release has is OP_FAILED. */
    static NnapiException failed(String function, int code) {
        ResultCode[] codes = ResultCode.values();
        boolean known = code > 0 && code < codes.length;
        return new NnapiException(
                known ? codes[code] : ResultCode.OP_FAILED,
                "the system's ANeuralNetworks" + function + ": " + (known ? codes[code].toString() : "code " + code)
                        + " (expected: NO_ERROR)");
    }

    /** The handle that a function writes behind its last argument. */
    long made(String function, long... arguments) {
        ForeignMemory place = new ForeignMemory(ForeignMemory.WORD);
        long[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = place.address();
        must(function, all);
        return made(function, place);
    }

    /** The event of an execution that waits for others, for ever. */
    long startedAfter(long execution, SystemEvents events) {
        String function = "Execution_startComputeWithDependencies";
        long address = required(function);
        ForeignMemory place = new ForeignMemory(ForeignMemory.WORD);
        require(function, (int)
                NativeCalls.callAfterEvents(address, execution, events.address(), events.count(), 0, place.address()));
        return made(function, place);
    }

    private static long made(String function, ForeignMemory place) {
        long made = place.getWord(0);
        Reachability.fence(place);
        if (made == 0) {
            throw new NnapiException(
                    ResultCode.OP_FAILED,
                    "the system's ANeuralNetworks" + function + ": null (expected: what it was asked for)");
        }
        return made;
    }
}
