"""A newcomer's first three minutes, as newcomer.txt has them: what is typed, what is read, the exit status.

newcomer.py PROJECT COMMAND
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pages import Page

SECONDS = 180


def steps(text):
    """(command, wanted lines, status)"""
    command, wanted = None, []
    for line in text.split("\n"):
        if line.startswith("$ "):
            command, wanted = line[2:], []
        elif command is None or not line.strip():
            continue
        elif re.fullmatch(r"\[\d+\]", line):
            yield command, wanted, int(line[1:-1])
            command = None
        else:
            wanted.append(line)


def pattern_of(line):
    words = (re.escape(word).replace("NUMBER", r"[+-]?\d[\d.]*") for word in line.split())
    return re.compile(r"\s*" + r"\s+".join(words) + r"\s*")


def first_difference(wanted, lines):
    """Of two lists of lines without empty ones: what is missing, or nothing."""
    at, free = 0, False
    for line in wanted:
        if line == "...":
            free = True
            continue
        pattern = pattern_of(line)
        while free and at < len(lines) and not pattern.fullmatch(lines[at]):
            at += 1
        if at == len(lines) or not pattern.fullmatch(lines[at]):
            return f"wanted: {line.strip()}\n  read:   {lines[at].strip() if at < len(lines) else 'nothing more'}"
        at, free = at + 1, False
    return None if free or at == len(lines) else f"not wanted: {lines[at].strip()}"


def main():
    project, command = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
    page = Page(project / "docs/formats/files.md", project)
    example = "\n".join(text for block in page.blocks if block.language == "sh" for _, text in block.lines)
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PPGNN_")}
    failed, count = False, 0
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        programs, work = Path(folder, "programs"), Path(folder, "work")
        programs.mkdir()
        work.mkdir()
        (programs / "ppgnn").write_text(f'#!/bin/sh\nexec {shlex.quote(command)} "$@"\n')
        (programs / "ppgnn").chmod(0o755)
        environment.update(PATH=f"{programs}:{os.environ['PATH']}", HOME=folder, LC_ALL="C.UTF-8")
        for typed, wanted, status in steps((Path(__file__).parent / "newcomer.txt").read_text(encoding="utf-8")):
            done = subprocess.run(["sh", "-euc", example if typed == "@example" else typed], cwd=work, env=environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
            count += 1
            lines = [line for line in done.stdout.split("\n") if line.strip()]
            difference = first_difference(wanted, lines)
            if done.returncode != status:
                difference = f"status {done.returncode}, wanted {status}\n  " + "\n  ".join(lines[-5:])
            if difference:
                failed = True
                print(f"$ {typed}\n  {difference}")
            if typed == "@example":
                people = [line.split(",")[0] for line in lines[-9:]]
                if people != "ana ben cai dee eli fay gus hal ida".split():
                    failed = True
                    print(f"the example predicts for {people}")
    took = time.monotonic() - started
    if took > SECONDS:
        failed = True
    print(f"{count} commands in {took:.1f} s, of {SECONDS}")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
