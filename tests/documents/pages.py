"""The pages of the project, taken apart: prose, headings, links, pictures, blocks of code."""
import re
from pathlib import Path

FENCE = re.compile(r"^\s*(```+|~~~+)(.*)$")
ITEM = re.compile(r"^( {0,3})([-*]|\d+\.) +")
SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")


class Block:
    """A block of code: its language, or nothing; its lines as (number, text)."""

    def __init__(self, language, lines, name=""):
        self.language, self.lines, self.name = language, lines, name


class Page:
    def __init__(self, path, project):
        self.path = path
        self.name = str(path.relative_to(project))
        self.prose = []   # (number, text) of every line outside of blocks
        self.blocks = []  # in order
        self._parse(path.read_text(encoding="utf-8").split("\n"))

    def _parse(self, lines):
        content = 0       # where the text of the list item starts, or 0 outside of lists
        after_blank, inside = True, False
        name = ""         # a line of one code span alone names the file that the next block shows
        i = 0
        while i < len(lines):
            line = lines[i]
            fence = FENCE.match(line)
            if fence:
                first = i = i + 1
                while i < len(lines) and not lines[i].strip().startswith(fence[1]):
                    i += 1
                self.blocks.append(Block(fence[2].strip(), list(zip(range(first + 1, i + 1), lines[first:i])), name))
                name, after_blank, inside = "", False, False
                i += 1
                continue
            indent = len(line) - len(line.lstrip())
            if line.strip() and indent >= content + 4 and (after_blank or inside):
                if not inside:
                    self.blocks.append(Block("", [], name))
                    name = ""
                self.blocks[-1].lines.append((i + 1, line[content + 4:]))
                inside = True
            elif not line.strip():
                after_blank = True
                ahead = next((other for other in lines[i:] if other.strip()), "")
                if inside and len(ahead) - len(ahead.lstrip()) >= content + 4:
                    self.blocks[-1].lines.append((i + 1, ""))
                else:
                    inside = False
            else:
                item = ITEM.match(line)
                if item:
                    content = item.end()
                elif indent == 0:
                    content = 0
                span = SPAN.fullmatch(line.strip())
                name = span[2] if span else ""
                self.prose.append((i + 1, line))
                after_blank = inside = False
            i += 1

    def spans(self):
        """Code within prose, as (number, text); a span does not go over lines."""
        for number, line in self.prose:
            for match in SPAN.finditer(line):
                yield number, match[2]

    def links(self):
        """(number, is a picture, target) of every link; what is written in a code span is none."""
        for number, line in self.prose:
            line = SPAN.sub(lambda span: "x" * len(span[0]), line)
            for match in LINK.finditer(line):
                yield number, bool(match[1]), match[3]
                for inner in LINK.finditer(match[2]):
                    yield number, bool(inner[1]), inner[3]
            for match in re.finditer(r"<(img|a)\b[^>]*\b(?:src|href)=\"([^\"]+)\"", line):
                yield number, match[1] == "img", match[2]
            match = re.match(r"^\[[^\]]+\]:\s+(\S+)", line)
            if match:
                yield number, False, match[1]

    def anchors(self):
        """As GitHub makes them of headings: small letters, no punctuation, hyphens for blanks, a number for repeats."""
        found, seen = set(), {}
        for _, line in self.prose:
            found.update(re.findall(r"<a\b[^>]*\b(?:id|name)=\"([^\"]+)\"", line))
            heading = re.match(r"^#{1,6}\s+(.*?)\s*#*\s*$", line)
            if not heading:
                continue
            text = LINK.sub(lambda link: link[2], heading[1])
            slug = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            count = seen.get(slug, 0)
            seen[slug] = count + 1
            found.add(f"{slug}-{count}" if count else slug)
        return found

    def words(self):
        """Prose without code, addresses and marks, as (number, text)."""
        for number, line in self.prose:
            line = SPAN.sub(" ", line)
            line = LINK.sub(lambda link: f" {link[2]} ", line)
            line = re.sub(r"<[^>]+>|https?://\S+|^\[[^\]]+\]:.*$", " ", line)
            yield number, line


def pages(project):
    """README and its neighbours, docs, and what stands beside parts of the product."""
    project = Path(project)
    found = sorted(project.glob("*.md")) + sorted(project.glob("docs/**/*.md")) + sorted(project.glob("web/*.md"))
    return [Page(path, project) for path in found]
