"""Documents stay true: links, anchors and pictures are there, and commands work as they are printed.

documents.py PROJECT COMMAND

Every line `ppgnn ...` of a block (also `$ ppgnn`, `build/ppgnn`) and every code span of a command must name a command and options
that its --help lists. Lines are then run, page by page, in order and in one folder per page, unless NOT_RUN says why not. What a
page takes for granted is in BEFORE. Blocks of ```sh are run whole. A block below a line that is one code span is a file of that name.

What a transcript (`$ ppgnn ...`) shows must come in that order: word for word where the command is run as it is printed and its
output is the same each time; else the labels of its tables.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from xml.etree import ElementTree

from pages import pages

# Lines that are checked against --help and not run.
NOT_RUN = [
    (r"\b(cora|citeseer|pubmed|lastfm|facebook|wikipedia)\b", "a published data set"),
    (r"\bstudy (run|all)\b(?!.*--data synthetic:)", "studies of published data sets, minutes to hours"),
    (r"\.\.\.", "something is left out"),
    (r"\b(NAME|DIR|FOLDER)\b", "something is to be filled in"),
    (r"\bpostgres:", "a database server"),
    (r"\bppgnn serve\b|--server\b", "a collector that runs"),
    (r"\s/(srv|etc)/", "an operator's own folders"),
]
# Options added to make a line take seconds. Transcripts of such lines are compared by their labels.
SMALLER = [
    (r"^run\b(?!.*--data)", "--data synthetic:social,nodes=400"),
    (r"^run\b(?!.*--runs)", "--runs 1"),
    (r"^run\b(?!.*--epochs)", "--epochs 5"),
    (r"^audit --empirical\b(?!.*--trials)", "--trials 1000"),
]
# A campaign's people, as files: a stored graph does where a page says `--data server` or `--data folder`.
GRAPH = "ppgnn data convert synthetic:social,nodes=200,attributes=32 {}"
SCHEMA = "printf 'name,count,kind,low,high,absent\\nfeature,32,binary,0,1,0\\n' > schema.csv"
START = "ppgnn campaign start --data server --schema schema.csv --campaign spring --folder spring"
TEACH = "ppgnn perturb --data server --plan spring/teach.plan --people spring/teach.people --out lessons.csv --force"
# What has happened before the first line of a page that starts so: page -> start of a line -> commands.
BEFORE = {
    "docs/run.md": {
        "ppgnn plan ": [GRAPH.format("folder"), SCHEMA],
    },
    "docs/formats/campaign.md": {
        "ppgnn campaign start": [GRAPH.format("server"), SCHEMA],
        "# people in teach.people": [TEACH],
        "# people in questions.csv": [
            "ppgnn perturb --data server --plan spring/answer.plan --people spring/answer.people --questions spring/questions.csv"
            " --earlier lessons.csv --out answers.csv"
        ],
        "ppgnn campaign ask --data server --folder spring --reports lessons.csv --pilots": ["rm -r spring", START, TEACH],
        "# people in pilot-questions.csv": [
            "ppgnn perturb --data server --plan spring/pilot.plan --people spring/pilot.people --questions spring/pilot-questions.csv"
            " --earlier lessons.csv --out pilots.csv"
        ],
        "ppgnn train --data server --folder spring --reports answers.csv --reports pilots.csv": [
            "if [ -e spring/answer.plan ]; then ppgnn perturb --data server --plan spring/answer.plan --people spring/answer.people"
            " --questions spring/questions.csv --earlier lessons.csv --out answers.csv --force;"
            " else printf 'node,report\\n' > answers.csv; fi"
        ],
        "# people in teach.people report with home": [TEACH.replace("spring/", "home/")],
        "# people in pilot-questions.csv report with home": [
            "ppgnn perturb --data server --plan home/pilot.plan --people home/pilot.people --questions home/pilot-questions.csv"
            " --earlier lessons.csv --out pilots.csv --force"
        ],
        "ppgnn decide": ["printf 'column,value\\n3,1\\n' > me.csv"],
    },
    "docs/operations.md": {
        "ppgnn campaign start": [
            SCHEMA, "mkdir server",  # with a person called ana
            "i=1; while [ $i -lt 40 ]; do echo $i,$((i / 2)); i=$((i + 1)); done | sed 's/,0$/,ana/' > server/edges.csv",
            "{ echo node,class; echo ana,0; i=1; while [ $i -lt 40 ]; do echo $i,$((i % 2)); i=$((i + 1)); done; } > server/labels.csv",
        ],
        "ppgnn campaign erased": ["cp spring.db replaced.db"],
    },
}
# Commands that take the options of others, which they run.
RUNS = {("campaign", "work"): [("campaign", "ask"), ("train",)]}
# Options of other programs that pages name.
OTHERS = {"--strip-all"}
# Text that only looks like a command.
NOT_COMMANDS = {"ppgnn salt 1"}
# Pages of the past: what they name may have another name today.
HISTORY = {"CHANGELOG.md"}

failures = []


def fail(place, sentence):
    failures.append(f"{place}: {sentence}")


# Links and pictures.


def picture_fault(path):
    data = path.read_bytes()
    if path.suffix == ".svg":
        try:
            root = ElementTree.fromstring(data)
        except ElementTree.ParseError as error:
            return f"is no XML ({error})"
        drawn = [e for e in root.iter() if e.tag.rpartition("}")[2] in ("path", "line", "polyline", "polygon", "rect", "circle", "ellipse")]
        text = "".join("".join(e.itertext()) for e in root.iter() if e.tag.rpartition("}")[2] == "text")
        return None if len(drawn) >= 3 and text.strip() else "shows nothing"
    if path.suffix == ".png":
        pixels, at = b"", 8
        while at + 8 <= len(data):
            length = int.from_bytes(data[at:at + 4], "big")
            if data[at + 4:at + 8] == b"IDAT":
                pixels += data[at + 8:at + 8 + length]
            at += length + 12
        try:
            return None if len(set(zlib.decompress(pixels))) > 4 else "is of one colour"
        except zlib.error as error:
            return f"is no PNG ({error})"
    return None if len(data) > 100 else "is empty"


def check_links(project, found):
    by_path = {page.path: page for page in found}
    links = pictures = 0
    for page in found:
        for number, is_picture, target in page.links():
            place = f"{page.name}:{number}"
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = (page.path.parent / path).resolve() if path else page.path
            links += 1
            if not file.exists() or project not in [file, *file.parents]:
                fail(place, f"{target} is not there")
                continue
            if is_picture:
                pictures += 1
                fault = picture_fault(file)
                if fault:
                    fail(place, f"{target} {fault}")
            if anchor and (file not in by_path or anchor not in by_path[file].anchors()):
                fail(place, f"{target}: there is no such heading")
    return links, pictures


# Commands and options.


class Help:
    def __init__(self, command):
        self.command, self.known = command, {}

    def of(self, words):
        """Subcommands and options of `ppgnn words...`."""
        if words not in self.known:
            text = subprocess.run([self.command, *words, "--help"], capture_output=True, text=True, check=True).stdout
            self.known[words] = (set(re.findall(r"^  ([a-z]+)  ", text, re.M)) if " COMMAND\n" in text else set(),
                                 set(re.findall(r"^  (?:-h, )?(--[a-z-]+)", text, re.M)))
        return self.known[words]

    def fault(self, words):
        """What is wrong with `ppgnn words...`, or nothing."""
        command, options = (), self.of(())[1]
        for word in words:
            commands = self.of(command)[0]
            if word.startswith("--"):
                name = word.partition("=")[0]
                if name not in options:
                    return f"ppgnn {' '.join(command)} has no option {name}"
            elif commands:
                if word in ("...", "<command>", "COMMAND"):
                    return None
                if word not in commands:
                    return f"there is no command ppgnn {' '.join([*command, word])}"
                command += (word,)
                options = options.union(*(self.of(one)[1] for one in (command, *RUNS.get(command, []))))
        return None

    def every_option(self, command=()):
        commands, options = self.of(command)
        return options.union(*(self.every_option((*command, name)) for name in commands))


def parts(line):
    """The simple commands of a shell line, as words."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="&|;<>")
    lexer.commenters, lexer.whitespace_split = "#", True
    found = [[]]
    skip = False
    for word in lexer:
        if set(word) <= set("&|;"):
            found.append([])
        elif set(word) <= set("<>"):
            skip = True
        elif skip:
            skip = False
        else:
            found[-1].append(word)
    return [words for words in found if words]


LINE = re.compile(r"^(\$ )?(?:build/)?(ppgnn\b(?![-:./]).*)$")


def command_lines(block):
    """(number, is a transcript, line, what the transcript shows)"""
    for index, (number, text) in enumerate(block.lines):
        match = LINE.match(text)
        if not match or block.language not in ("", "sh"):
            continue
        shown = []
        if match[1]:
            for _, later in block.lines[index + 1:]:
                if later.startswith("$ "):
                    break
                shown.append(later)
        yield number, bool(match[1]), match[2], shown


def check_commands(found, helps):
    checked = 0
    every_option = helps.every_option()
    commands = helps.of(())[0]
    for page in found:
        for block in page.blocks:
            for number, _, line, _ in command_lines(block):
                for words in parts(line):
                    if words[0] == "ppgnn":
                        checked += 1
                        fault = helps.fault(words[1:])
                        if fault:
                            fail(f"{page.name}:{number}", fault)
        for number, span in [] if page.name in HISTORY else page.spans():
            words = span.split()
            place = f"{page.name}:{number}"
            if span in NOT_COMMANDS:
                continue
            if words[0] in ("ppgnn", "build/ppgnn") and len(words) > 1:
                fault = helps.fault(parts(span)[0][1:])
            elif words[0] in commands and len(words) > 1 and any(word.startswith("--") for word in words):
                fault = helps.fault(words)
            elif words[0].startswith("--"):
                options = {word.partition("=")[0] for word in words if word.startswith("--")}
                strange = sorted(options - every_option - OTHERS)
                fault = f"no command has an option {strange[0]}" if strange else None
            else:
                continue
            checked += 1
            if fault:
                fail(place, fault)
    return checked


# Runs.


def label(line):
    """The first field of a table's row, without figures; nothing for other lines."""
    match = re.match(r"^  +(\S+(?: \S+)*)", line)
    return None if not match or re.search(r"\d", match[1]) else match[1]


def compare(place, shown, output, exact):
    """What a page shows is in the output, in the same order; `...` stands for anything."""
    lines = [line.rstrip() for line in output.split("\n")]
    at = 0
    for text in (line.rstrip() for line in shown):
        if not text or text == "...":
            continue
        wanted = text if exact else label(text)
        if wanted is None:
            continue
        match = (lambda line: line == wanted) if exact else (lambda line: label(line) == wanted)
        place_in_output = next((i for i in range(at, len(lines)) if match(lines[i])), None)
        if place_in_output is None:
            fail(place, f"the command does not print `{wanted}` there")
            return
        at = place_in_output + 1


class Runner:
    def __init__(self, command, folder):
        self.folder = folder
        self.ran, self.left_out, self.made_up = 0, 0, set()
        self.known = {}  # output of transcripts that several pages show
        programs = folder / "programs"
        programs.mkdir()
        (programs / "ppgnn").write_text(f'#!/bin/sh\nexec {shlex.quote(command)} "$@" $PPGNN_MORE\n')
        (programs / "ppgnn").chmod(0o755)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("PPGNN_")}
        self.environment.update(PATH=f"{programs}:{os.environ['PATH']}", HOME=str(folder), LC_ALL="C.UTF-8")

    def shell(self, place, script, work, more="", statuses=(0,)):
        started = time.monotonic()
        done = subprocess.run(["sh", "-euc", script], cwd=work, env={**self.environment, "PPGNN_MORE": more}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
        self.ran += 1
        took = time.monotonic() - started
        if took > 5:
            print(f"{place}: {took:.0f} s: {script.splitlines()[0]}")
        if done.returncode not in statuses:
            fail(place, f"status {done.returncode} of: {script} {more}\n    " + "\n    ".join(done.stdout.splitlines()[-5:]))
        return done.stdout

    def why_not(self, line):
        for pattern, why in NOT_RUN:
            if re.search(pattern, line):
                return why
        words = [word for part in parts(line) for word in part]
        return "made by a line that was not run" if self.made_up.intersection(words) else None

    def line(self, place, work, transcript, line, shown):
        if self.why_not(line):
            self.left_out += 1
            words = parts(line)[0]
            self.made_up.update(value for option, value in zip(words, words[1:]) if option == "--out")
            return
        rest = line.split("#")[0].strip().removeprefix("ppgnn").strip()
        more = " ".join(addition for pattern, addition in SMALLER if re.search(pattern, rest))
        # The paper's protocol does not keep its promise, and the status says so.
        statuses = (1,) if "--protocol paper" in rest else (0,)
        key = (rest, more)
        if key in self.known:
            output = self.known[key]
        else:
            output = self.shell(place, line, work, more, statuses)
            if transcript or rest == "run":
                self.known[key] = output
        compare(place, shown, output, exact=not more)

    def page(self, page):
        work = self.folder / page.name.replace("/", "_")
        work.mkdir()
        before = dict(BEFORE.get(page.name, {}))
        self.made_up = set()
        for block in page.blocks:
            if block.name and re.fullmatch(r"[\w-]+/[\w.-]+", block.name):
                (work / block.name).parent.mkdir(exist_ok=True)
                (work / block.name).write_text("".join(text + "\n" for _, text in block.lines))
                continue
            lines = {number: rest for number, *rest in command_lines(block)}
            if block.language == "sh" and lines:
                self.shell(f"{page.name}:{block.lines[0][0]}", "\n".join(text for _, text in block.lines), work)
                continue
            for number, text in block.lines:
                place = f"{page.name}:{number}"
                # The longest that fits: one line may start like another.
                start = max((start for start in before if text.startswith(start)), key=len, default=None)
                if start is not None:
                    for script in before.pop(start):
                        self.shell(place, script, work)
                if number in lines:
                    self.line(place, work, *lines[number])
        for start in before:
            fail(page.name, f"no line starts with `{start}` any more, see BEFORE in documents.py")


def main():
    project, command = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
    started = time.monotonic()
    found = pages(project)
    links, pictures = check_links(project, found)
    checked = check_commands(found, Help(command))
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(command, Path(folder))
        for page in found:
            runner.page(page)
    for failure in failures:
        print(failure)
    print(f"{len(found)} pages, {links} links, {pictures} pictures, {checked} commands, {runner.ran} of them run or prepared, "
          f"{runner.left_out} lines not run, {time.monotonic() - started:.0f} s; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
