#!/usr/bin/env python3
"""Plants faults into a copy of the sources and sees whether the tests catch them.

tests/mutations/*.toml lists the faults:
    [[mutation]]
    file    = "rtl/mxu/..."   # below the repository's root
    find    = "text"          # occurs exactly once in the file
    replace = "other text"
    test    = "mxu"           # the ctest that has to fail
    why     = "what the fault is"

Each named test has to pass on the sound sources first. A fault counts as caught when its test fails or does not end; a fault that
does not compile counts as an error in the list. The copy and its build are kept, so that a second run is faster.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST_LIMIT_S = 600
NEED_XRT = ("emulation", "xrt")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lists", nargs="*", help="names of lists in tests/mutations (default: all)")
    parser.add_argument("--sample", type=int, help="only this many faults, of those that need no RTL")
    parser.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutations")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def load_mutations(names):
    mutations = []
    known = sorted((ROOT / "tests/mutations").glob("*.toml"))
    for name in names:
        if not any(path.stem == name for path in known):
            sys.exit(f"there is no list tests/mutations/{name}.toml")
    for path in known:
        if names and path.stem not in names:
            continue
        for entry in tomllib.loads(path.read_text()).get("mutation", []):
            missing = {"file", "find", "replace", "test", "why"} - entry.keys()
            if missing:
                sys.exit(f"{path}: an entry lacks {', '.join(sorted(missing))}")
            count = (ROOT / entry["file"]).read_text().count(entry["find"]) if (ROOT / entry["file"]).is_file() else 0
            if count != 1:
                sys.exit(f"{path}: the text {entry['find']!r} occurs {count} times in {entry['file']}; it has to occur once")
            mutations.append(entry | {"list": path.stem})
    if not mutations:
        sys.exit("no mutations are listed in tests/mutations")
    return mutations


def sample(mutations, count):
    """Faults in C++ whose tests need no Verilated core, as far apart in the list as possible."""
    quick = [m for m in mutations if m["file"].endswith((".cpp", ".h")) and not m["test"].startswith(("rtl", "fuzz", "driver"))]
    step = max(1, len(quick) // count)
    return quick[::step][:count]


def copy_sources(scratch):
    """Mirrors the tracked files; unchanged files keep their times, so that nothing is built twice."""
    source = scratch / "source"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    wanted = {name for name in files.decode().split("\0") if name and (ROOT / name).is_file()}
    for name in wanted:
        target = source / name
        data = (ROOT / name).read_bytes()
        if target.is_file() and target.read_bytes() == data:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        shutil.copymode(ROOT / name, target)
    for path in source.rglob("*"):
        if path.is_file() and str(path.relative_to(source)) not in wanted:
            path.unlink()
    return source


class Tree:
    def __init__(self, scratch, jobs):
        self.source = copy_sources(scratch)
        self.build = scratch / "build"
        self.jobs = jobs
        self.log = open(scratch / "log.txt", "w")

    def run(self, *command, limit=None):
        self.log.write(f"\n$ {' '.join(map(str, command))}\n")
        self.log.flush()
        process = subprocess.Popen(list(map(str, command)), stdout=self.log, stderr=self.log, start_new_session=True)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the test that hangs below it
            process.wait()
            return 124

    def configure(self):
        # Verilator's warnings are not fatal here: a fault may leave a signal unused. Debug asserts stay off, as in a release.
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        code = self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja", "-DHEDDLE_VERILATOR_FLAGS=-Wno-fatal",
                        "-DHEDDLE_RTL_CONFIGS=tiny", *launcher)
        if code != 0:
            sys.exit(f"the copy does not configure; see {self.log.name}")
        self.programs = {}
        for path in self.build.rglob("CTestTestfile.cmake"):
            for test, program in re.findall(r'^add_test\((?:\[=\[)?([\w.-]+)(?:\]=\])? "([^"]+)"', path.read_text(), re.MULTILINE):
                self.programs[test] = pathlib.Path(program)

    def has_xrt(self):
        return (self.build / "xrt").is_dir()

    def compile(self, tests):
        """Builds the programs of the tests; a test whose program is not of this build needs none."""
        programs = {self.programs[test] for test in tests}
        targets = sorted(str(p.relative_to(self.build)) for p in programs if p.is_relative_to(self.build))
        return not targets or self.run("ninja", "-C", self.build, f"-j{self.jobs}", *targets) == 0

    def passes(self, test):
        return self.run("ctest", "--test-dir", self.build, "-R", f"^{test}$", "--no-tests=error", "--output-on-failure",
                        limit=TEST_LIMIT_S) == 0

    def judge(self, mutation):
        path = self.source / mutation["file"]
        sound = path.read_text()
        path.write_text(sound.replace(mutation["find"], mutation["replace"]))
        try:
            if not self.compile([mutation["test"]]):
                return "does not build"
            return "missed" if self.passes(mutation["test"]) else "caught"
        finally:
            path.write_text(sound)


def main():
    options = arguments()
    mutations = load_mutations(options.lists)
    if options.sample:
        mutations = sample(mutations, options.sample)
    options.scratch.mkdir(parents=True, exist_ok=True)
    tree = Tree(options.scratch.resolve(), options.jobs)
    tree.configure()
    if not tree.has_xrt():
        left_out = [m for m in mutations if m["list"] in NEED_XRT]
        mutations = [m for m in mutations if m not in left_out]
        print(f"left out, since XRT is not here: {len(left_out)} faults of the lists {', '.join(NEED_XRT)}")
    tests = sorted({m["test"] for m in mutations})
    unknown = [test for test in tests if test not in tree.programs]
    if unknown:
        sys.exit(f"there are no tests {', '.join(unknown)}")
    if not tree.compile(tests):
        sys.exit(f"the sound copy does not build; see {tree.log.name}")
    for test in tests:
        if not tree.passes(test):
            sys.exit(f"the test {test} fails without any fault; see {tree.log.name}")

    counts = {"caught": 0, "missed": 0, "does not build": 0}
    for mutation in mutations:
        start = time.monotonic()
        verdict = tree.judge(mutation)
        counts[verdict] += 1
        print(f"{verdict:14} {time.monotonic() - start:4.0f} s  {mutation['test']:24} {mutation['file']}: {mutation['why']}", flush=True)
    print(f"{len(mutations)} planted faults: " + ", ".join(f"{n} {name}" for name, n in counts.items()))
    return 0 if counts["caught"] == len(mutations) else 1


if __name__ == "__main__":
    sys.exit(main())
