package org.torchnnapi.exported;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.archive.ZipReader;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.Utf8;

/**
 * What lies in an archive of torch.export: programs by name, and the tensors of each. PyTorch 2.5 to 2.7 wrote one
 * program at the top; later ones write all below a folder. Tensors are views of the file.
 */
abstract class ExportedArchive {
    private static final String LEGACY_PROGRAM = "serialized_exported_program.json";
    private static final String FORMAT = "/archive_format";
    private static final long MAJOR = 8;

    private final ZipReader zip;

    ExportedArchive(ZipReader zip) {
        this.zip = zip;
    }

    static boolean isExported(ZipReader zip) {
        return zip.entries().containsKey(LEGACY_PROGRAM) || folder(zip) != null;
    }

    /** @throws ArchiveException if it has no program, or is of a version that is not read */
    static ExportedArchive of(ZipReader zip) {
        return zip.entries().containsKey(LEGACY_PROGRAM) ? new Legacy(zip) : new InFolder(zip, folder(zip));
    }

    private static String folder(ZipReader zip) {
        for (String name : zip.entries().keySet()) {
            int slash = name.indexOf('/');
            if (slash > 0 && name.length() == slash + FORMAT.length() && name.endsWith(FORMAT)) {
                return name.substring(0, slash + 1);
            }
        }
        return null;
    }

    ZipReader zip() {
        return zip;
    }

    /** Names of the programs, in the order of the file. */
    abstract List<String> programs();

    /** The text of a program. */
    final Json program(String name) {
        Json program = programText(name);
        Json major = program.get("schema_version").get("major");
        if (major.integer() != MAJOR) {
            throw major.error(MAJOR + ", the schema of PyTorch 2.5 and later");
        }
        return program;
    }

    abstract Json programText(String name);

    /** Parameters and buffers of a program by name. */
    abstract TensorTable weights(String program);

    /** Constants of a program and buffers that are not persistent, by name. */
    abstract TensorTable constants(String program);

    /** The entry of the arguments that a program was exported with. */
    abstract String sampleEntry(String program);

    /** The arguments that a program was exported with. */
    final SampleInputs samples(String program) {
        String entry = sampleEntry(program);
        return new SampleInputs(entry, has(entry) ? read(entry) : ByteBuffer.allocate(0), zip.budget());
    }

    /** Folder of files of the user, in the zip file. */
    abstract String extraFolder();

    final Map<String, ByteBuffer> extraFiles() {
        Map<String, ByteBuffer> files = new LinkedHashMap<>();
        for (String name : zip.entries().keySet()) {
            if (name.startsWith(extraFolder()) && name.length() > extraFolder().length()) {
                files.put(name.substring(extraFolder().length()), zip.read(name));
            }
        }
        return files;
    }

    final boolean has(String entry) {
        return zip.entries().containsKey(entry);
    }

    final ByteBuffer read(String entry) {
        if (!has(entry)) {
            throw new ArchiveException(
                    "archive entry: " + entry + " is missing (expected: in an archive of torch.export.save)");
        }
        return zip.read(entry);
    }

    final String text(String entry) {
        try {
            return Strings.strip(Utf8.decode(read(entry)));
        } catch (CharacterCodingException e) {
            throw new ArchiveException(entry + ": not UTF-8 (expected: UTF-8 text)", e);
        }
    }

    /** @param name for error messages */
    final Json json(String name, String entry) {
        return Json.parse(name, read(entry), zip.budget());
    }

    /** What PyTorch 2.5 to 2.7 wrote. */
    private static final class Legacy extends ExportedArchive {
        Legacy(ZipReader zip) {
            super(zip);
            String version = has("version") ? text("version") : "8";
            if (!version.equals("8") && !version.startsWith("8.")) {
                throw new ArchiveException("version: " + version + " (expected: 8 and what is behind a dot)");
            }
        }

        @Override
        List<String> programs() {
            return List.of("forward");
        }

        @Override
        Json programText(String name) {
            return json(LEGACY_PROGRAM, LEGACY_PROGRAM);
        }

        @Override
        TensorTable weights(String program) {
            return saved("serialized_state_dict");
        }

        @Override
        TensorTable constants(String program) {
            return saved("serialized_constants");
        }

        private TensorTable saved(String stem) {
            String entry = has(stem + ".json") ? stem + ".json" : stem + ".pt";
            return new SavedTensors(entry, read(entry), zip().budget());
        }

        @Override
        String sampleEntry(String program) {
            return "serialized_example_inputs.pt";
        }

        @Override
        String extraFolder() {
            return "extra_files/";
        }
    }

    /** What PyTorch 2.8 and later write. */
    private static final class InFolder extends ExportedArchive {
        private final String folder;
        private final List<String> programs = new ArrayList<>();

        InFolder(ZipReader zip, String folder) {
            super(zip);
            this.folder = folder;
            require("archive_format", "pt2");
            require("archive_version", "0");
            if (has(folder + "byteorder")) {
                require("byteorder", "little");
            }
            boolean compiled = false;
            for (String name : zip.entries().keySet()) {
                String models = folder + "models/";
                if (name.startsWith(models) && name.endsWith(".json")) {
                    programs.add(name.substring(models.length(), name.length() - ".json".length()));
                }
                compiled |= name.startsWith(folder + "data/aotinductor/");
            }
            if (programs.isEmpty()) {
                throw new ArchiveException(
                        compiled
                                ? "archive: a package of AOTInductor, machine code for one processor "
                                        + "(expected: a program as torch.export.save(torch.export.export("
                                        + "model.eval(), example), \"model.pt2\") writes it)"
                                : "archive: no models/NAME.json (expected: at least one program)");
            }
        }

        private void require(String entry, String wanted) {
            String found = text(folder + entry);
            if (!found.equals(wanted)) {
                throw new ArchiveException(entry + ": " + Strings.beginning(found, 20) + " (expected: " + wanted + ")");
            }
        }

        @Override
        List<String> programs() {
            return programs;
        }

        @Override
        Json programText(String name) {
            String entry = "models/" + name + ".json";
            return json(entry, folder + entry);
        }

        @Override
        TensorTable weights(String program) {
            return table("weights", program);
        }

        @Override
        TensorTable constants(String program) {
            return table("constants", program);
        }

        private TensorTable table(String kind, String program) {
            String home = "data/" + kind + "/";
            String whole = folder + home + program + ".pt";
            if (has(whole)) {
                return new SavedTensors(whole, read(whole), zip().budget());
            }
            String config = home + program + "_" + kind + "_config.json";
            return new PayloadTensors(
                    json(config, folder + config).get("config"), payload -> read(folder + home + payload));
        }

        @Override
        String sampleEntry(String program) {
            return folder + "data/sample_inputs/" + program + ".pt";
        }

        @Override
        String extraFolder() {
            return folder + "extra/";
        }
    }
}
