"""Writes docs/python-api.md from the docstrings: python3 python/tools/describe.py > docs/python-api.md, with the built package on PYTHONPATH."""
import inspect
import re

import ppgnn

PARTS = [
    ("Data", ["Graph", "Column", "datasets"]),
    ("Plans and devices", ["Plan", "Certificate", "Client", "Collector", "Standing"]),
    ("Estimators", ["PPGNNClassifier", "CampaignClassifier"]),
    ("Campaigns on the server", ["Campaign"]),
    ("Forecasts, attacks and studies", ["forecast", "Forecast", "run", "attack", "study", "StudyResult", "methods", "Method"]),
    ("Figures", ["figures"]),
    ("Errors", ["errors"]),
]


def text_of(thing):
    """The docstring as Markdown: arguments become a list, references plain code."""
    doc = inspect.getdoc(thing) or ""
    doc = re.sub(r":\w+:`([^`]+)`", r"`\1`", doc).replace("``", "`")
    lines, listing = [], False
    for line in doc.splitlines():
        if line in ("Args:", "Attributes:"):
            lines += [f"*{line[:-1]}*", ""]
            listing = True
        elif listing and (found := re.match(r"    (\S[^:]*): (.*)", line)):
            names = ", ".join(f"`{name}`" for name in found.group(1).split(", "))
            lines.append(f"- {names}: {found.group(2)}")
        elif listing and line.startswith("    "):
            lines.append("  " + line.strip() if line.startswith("        ") else line.strip())
        else:
            listing = listing and line == ""
            lines.append(line)
    return "\n".join(lines).rstrip()


def signature_of(name, thing):
    """Names and defaults; types are in the stubs."""
    if name in ("ppgnn.Graph", "ppgnn.Plan", "ppgnn.Certificate", "ppgnn.Campaign", "ppgnn.StudyResult"):
        return name  # made by other means
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (ValueError, TypeError):
        return name
    shown, starred = [], False
    for parameter in parameters:
        if parameter.name in ("self", "cls"):
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            shown.append("*")
            starred = True
        text = "**" * (parameter.kind is parameter.VAR_KEYWORD) + parameter.name
        shown.append(text if parameter.default is parameter.empty else f"{text}={parameter.default!r}")
    return f"{name}({', '.join(shown)})"


def members_of(thing):
    for name, value in vars(thing).items():
        if name.startswith("_") or not inspect.getdoc(getattr(thing, name)):
            continue
        if isinstance(value, property):
            yield name, value, name
        elif isinstance(value, (classmethod, staticmethod)) or inspect.isfunction(value):
            yield name, value, signature_of(name, getattr(thing, name))


def page():
    out = ["# The Python package", "", "Made from the docstrings by `python/tools/describe.py`; [a guide](python.md) comes first."]
    for title, names in PARTS:
        out += ["", f"## {title}"]
        for name in names:
            thing = getattr(ppgnn, name)
            if inspect.ismodule(thing):
                out += ["", f"### ppgnn.{name}", "", text_of(thing)]
                own = [value for value in vars(thing).values() if getattr(value, "__module__", "") == thing.__name__
                       and (inspect.isfunction(value) or inspect.isclass(value)) and not value.__name__.startswith("_")]
                for value in own:
                    shown = value.__name__ if inspect.isclass(value) else signature_of(value.__name__, value)
                    out += ["", f"`{shown}`", "", text_of(value)]
                continue
            fields = getattr(thing, "_fields", None)
            shown = f"ppgnn.{name}" if fields or not inspect.isclass(thing) and name == "study" else signature_of(f"ppgnn.{name}", thing)
            out += ["", f"### {name}", "", f"`{shown}`", "", text_of(thing)]
            if fields:
                out += ["", "Fields: " + ", ".join(f"`{field}`" for field in fields) + "."]
            if inspect.isclass(thing):
                for _, value, member in members_of(thing):
                    where = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
                    out += ["", f"#### `{member}`", "", text_of(where)]
    return "\n".join(out) + "\n"


if __name__ == "__main__":
    print(page(), end="")
