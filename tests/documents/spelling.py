"""Spelling of pages, help and sources: aspell with British English and words.txt, codespell for common slips in sources.

spelling.py PROJECT COMMAND

words.txt has the project's own words, one per line; a word that occurs nowhere any more fails. Exit status 77: a tool is missing.
"""
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from pages import pages

LANGUAGE = "en_GB-ise"
SOURCES = ["src", "include", "apps", "python", "web", "examples", "scripts", "bench", "fuzz", "packaging", "studies", "cmake", "tests"]
# Names in code and bytes of files, which codespell takes for slips; and a slip that a test makes on purpose.
NAMES = "coo,upto,kown,kinf,nin,hel,heigth,plantext,te,fo,ody"
FILES = "*.pdf,*.ipynb,*.npz,*.bin,*.db,corpus,data,words.txt"


def help_texts(command, words=()):
    """(place, text) of the help of every command."""
    text = subprocess.run([command, *words, "--help"], capture_output=True, text=True, check=True).stdout
    yield "ppgnn " + " ".join([*words, "--help"]), text
    for name in re.findall(r"^  ([a-z]+)  ", text, re.M) if " COMMAND\n" in text else ():
        yield from help_texts(command, (*words, name))


def prose_of_help(text):
    """Without examples, options and the values they may have."""
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"^\s*(ppgnn|Usage:)", line):
            continue
        line = re.sub(r"^  (-h, )?--\S+.*?(\s{2,}|$)", " ", line)
        line = re.sub(r"(?<!\w)--?[a-z][\w-]*|\bppgnn( [a-z]+)?|\S*[/_:=.]\S*\w", " ", line)
        yield number, line


def misspelt(words, own):
    with tempfile.NamedTemporaryFile("w", suffix=".pws", encoding="utf-8") as list_of_words:
        list_of_words.write(f"personal_ws-1.1 en {len(own)} utf-8\n" + "".join(word + "\n" for word in own))
        list_of_words.flush()
        done = subprocess.run(["aspell", f"--lang={LANGUAGE}", "--encoding=utf-8", "--mode=none", "--ignore=1", "--ignore-repl",
                               f"--personal={list_of_words.name}", "list"],
                              input="\n".join(sorted(words)) + "\n", capture_output=True, text=True)
        if done.returncode:
            print(f"skipped: no aspell with {LANGUAGE} ({done.stderr.strip()}; scripts/setup.sh test installs it)")
            sys.exit(77)
        return set(done.stdout.split())


def main():
    project, command = Path(sys.argv[1]).resolve(), str(Path(sys.argv[2]).resolve())
    for tool in ("aspell", "codespell"):
        if not shutil.which(tool):
            print(f"skipped: no {tool} (scripts/setup.sh test installs it)")
            return 77
    own = (Path(__file__).parent / "words.txt").read_text(encoding="utf-8").split()
    places = {}
    texts = [(f"{page.name}:{number}", line) for page in pages(project) for number, line in page.words()]
    texts += [(f"{place}, line {number}", line) for place, text in help_texts(command) for number, line in prose_of_help(text)]
    for place, line in texts:
        for word in re.findall(r"(?<![\w./-])[^\W\d_]+(?:['’][^\W\d_]+)*(?![\w]|[./]\w)", line):
            word = re.sub(r"['’]s?$", "", word.replace("’", "'"))
            places.setdefault(word, place)
    wrong = misspelt(places, own)
    failures = [f"{places.get(word, '?')}: {word}" for word in sorted(wrong, key=lambda word: places.get(word, ""))]
    needed = misspelt(places, [])
    failures += [f"words.txt: {word} is not needed" for word in own if word not in needed]
    if own != sorted(own, key=lambda word: (word.lower(), word)):
        failures.append("words.txt: not in order")
    done = subprocess.run(["codespell", "--quiet-level=3", f"--ignore-words-list={NAMES}", f"--skip={FILES}", "docs", *SOURCES,
                           *(path.name for path in sorted(project.glob("*.md")))],
                          cwd=project, capture_output=True, text=True)
    failures += done.stdout.splitlines()
    for failure in failures:
        print(failure)
    print(f"{len(places)} words, {len(own)} of the project's own; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
