// Ruff over Python files: ruff.js [--check] FILE...; formats them, or with --check says which are not formatted, and lints.
import { readFileSync, writeFileSync } from "node:fs";
import { PositionEncoding, Workspace } from "@astral-sh/ruff-wasm-nodejs";

const check = process.argv[2] === "--check";
const files = process.argv.slice(check ? 3 : 2);
const ruff = new Workspace(
  {
    "line-length": 120,
    "target-version": "py311",
    // TorchScript's functions are written with typing's names, and what a zip joins may differ in length.
    lint: { select: ["E4", "E7", "E9", "F", "B"], ignore: ["E741", "E402", "B007", "B023", "B904", "B905"] },
  },
  PositionEncoding.Utf16,
);
let problems = 0;
for (const file of files) {
  const text = readFileSync(file, "utf8");
  const formatted = ruff.format(text);
  if (formatted !== text) {
    if (check) {
      console.log(`${file}: not formatted (expected: as ci/format/run leaves it)`);
      problems++;
    } else {
      writeFileSync(file, formatted);
    }
  }
  for (const found of ruff.check(formatted)) {
    console.log(`${file}:${found.start_location.row}: ${found.code} ${found.message}`);
    problems++;
  }
}
process.exit(problems === 0 ? 0 : 1);
