#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The mercer authors
"""Makes the documentation as a web site, from docs/ and the headers, by Doxygen 1.9. Needs no network.

    make_site.py SOURCE OUT [--doxygen PROGRAM] [--mathjax FOLDER]

SOURCE is the root of the sources. The site is OUT/html/index.html. It is checked: warnings of Doxygen,
public names without documentation, links that lead nowhere and Markdown that was not understood are
printed, and the exit status is then 1.

- Headers are copied to OUT/headers, one line for one line. Each becomes part of the group of its
  module, lines such as "Cost:" become paragraphs, and members that mean the same in every class get
  the sentence of common_members.txt.
- Pages of docs/ are copied to OUT/pages. Formulas between dollars, links between pages, and links to
  files of the tree get the form that Doxygen knows. A linked file of the tree becomes a page too. A
  class in the first column of a table becomes a link.
- MathJax is copied from the Debian package libjs-mathjax. Without it formulas stay as they are
  written, in TeX, and each page says so.
"""

import argparse
import html
import html.parser
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
MATHJAX = pathlib.Path("/usr/share/javascript/mathjax")
# What MathJax loads for formulas in TeX, shown with its own fonts.
MATHJAX_PARTS = [
    "MathJax.js", "extensions/TeX", "extensions/tex2jax.js", "extensions/MathEvents.js", "jax/element",
    "jax/input/TeX", "jax/output/CommonHTML", "fonts/HTML-CSS/TeX/woff"]
MATHJAX_SCRIPT = """\
<script type="text/x-mathjax-config">
MathJax.Hub.Config({
  extensions: ["tex2jax.js", "TeX/AMSmath.js", "TeX/AMSsymbols.js"],
  jax: ["input/TeX", "output/CommonHTML"],
  messageStyle: "none", showMathMenu: false,
});
</script>
<script async src="$relpath^mathjax/MathJax.js"></script>"""
FACTS = ("Shapes:", "Cost:", "Memory:", "Accuracy:", "Threads:", "Lifetime:", "Random:", "Throws ",
         "Status:", "Source:")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


# --- Headers -----------------------------------------------------------------------------------


def concept_links(source):
    """A function that links the names of concepts, which Doxygen does not do by itself."""
    names = set()
    for header in (source / "include/mercer").rglob("*.hpp"):
        names.update(re.findall(r"^concept (\w+) =", header.read_text(encoding="utf-8"), re.M))
    pattern = re.compile(r"\b([Mm]odels (?:of )?(?:a |the )?|[Ss]ee |[Cc]oncepts? )"
                         rf"({'|'.join(sorted(names)) or '$.'})\b")

    def link(match):
        page = "conceptmercer_1_1" + match[2].replace("_", "__")
        return f"{match[1]}[{match[2]}]({page}.html)"

    return lambda text: pattern.sub(link, text)


def copy_headers(source, out):
    """Copies the headers line by line, with groups, paragraphs and links to concepts."""
    link = concept_links(source)
    for header in sorted((source / "include/mercer").rglob("*.hpp")):
        name = header.relative_to(source / "include")
        group = name.parts[1] if len(name.parts) > 2 else "core"
        text = header.read_text(encoding="utf-8")
        for fact in FACTS:
            text = re.sub(rf"^( *///) {fact}", rf"\1 <p><b>{fact.strip()}</b> ", text, flags=re.M)
        # A year at the start of a line is no item of a list.
        text = re.sub(r"^( *///\s+\d+)\.(?=\s|$)(?! [A-Za-z(|])", r"\1\\.", text, flags=re.M)
        text = re.sub(r"^ *///.*$", lambda match: link(match[0]), text, flags=re.M)
        lines, opened = text.split("\n"), False
        for number, line in enumerate(lines):
            if re.fullmatch(r"namespace mercer(::\w+)? \{", line):
                lines[number] = f"{line} /** \\addtogroup {group} */ /** @{{ */"
                opened = True
            elif opened and re.match(r"\}  // namespace mercer\b", line):
                lines[number] = f"/** @}} */ {line}"
        write(out / "headers" / name, "\n".join(lines))


def read_common():
    rules = []
    for line in (HERE / "common_members.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            pattern, sentence = line.split(" => ")
            rules.append((re.compile(pattern), sentence))
    return rules


UNDOCUMENTED = re.compile(
    r"(?P<file>[^:\s]+):(?P<line>\d+): (?:warning|error): "
    r"(?:Member (?P<member>.*) \((?P<kind>[a-z ]+)\) of "
    r"(?:class|struct|namespace|file|group|union) (?P<scope>.*)|Compound (?P<compound>.*))"
    r" is not documented\.")


def key_of(match):
    """The name of an undocumented entity, as the patterns of common_members.txt see it."""
    if match["compound"]:
        return "class " + match["compound"]
    member, kind = match["member"], match["kind"].split()[0]
    if kind == "macro":
        return "macro " + re.match(r"\w+", member)[0]
    arrow = re.search(r"\) (-> .*<.*>)$", member)
    if arrow and re.match(r"[A-Z]", member):
        return f"{kind} {match['scope']}::{arrow[1]}".replace("::->", " ->")
    operator = re.match(r"operator\(\)|operator[^\s(]+", member)
    return f"{kind} {match['scope']}::" + (operator[0] if operator else re.match(r"[\w~]+", member)[0])


def declaration_start(lines, at):
    """The line on which the declaration begins whose name is on line `at`."""
    while at > 0 and re.match(r"\s*(template\b|requires\b)", lines[at - 1]):
        at -= 1
    while at > 0 and not re.search(r"([;{}:]|\*/|\\)\s*$|^\s*(//|#)|^\s*$|//.*$", lines[at - 1]):
        at -= 1
    return at


def leave_out_macro(lines, at):
    while at < len(lines):
        goes_on, lines[at] = lines[at].endswith("\\"), ""
        if not goes_on:
            return
        at += 1


def add_common(source, out, warnings):
    """Puts the sentences of common_members.txt where Doxygen found none."""
    rules, texts, link = read_common(), {}, concept_links(source)
    for warning in warnings:
        match = UNDOCUMENTED.match(warning)
        if not match:
            continue
        key = key_of(match)
        for pattern, sentence in rules:
            if found := pattern.fullmatch(key):
                place = (match["file"], int(match["line"]) - 1)
                texts.setdefault(place, []).append(link(found.expand(sentence)))
                break
    by_file = {}
    for (file, line), sentences in texts.items():
        by_file.setdefault(file, []).append((line, sentences[0]))
    for file, places in by_file.items():
        lines = pathlib.Path(file).read_text(encoding="utf-8").split("\n")
        for at, sentence in places:
            if sentence == "-":
                leave_out_macro(lines, at)
                continue
            start = declaration_start(lines, at)
            lines[start] = re.sub(r"^(\s*)", rf"\1/** {sentence} */ ".replace("\\", "\\\\")
                                  .replace("\\\\1", "\\1"), lines[start], count=1)
        write(pathlib.Path(file), "\n".join(lines))


# --- Pages -------------------------------------------------------------------------------------

# Pages that Doxygen makes, which pages of docs/ may link to.
MADE = re.compile(r"(modules|annotated|concepts|files|group__\w+)\.html$")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(^```.*?^```[ \t]*$|^(?: {4}|\t)[^\n]*$|`(?:[^`\n]|\n(?![ \t]*\n))+`)", re.M | re.S)


def anchor_of(heading):
    """The anchor of a heading, as repositories on the web make it."""
    words = re.sub(r"[^\w\- ]", "", re.sub(r"[`*_]", "", heading).lower())
    return words.strip().replace(" ", "-")


def code_span(text):
    """A piece of code as Doxygen reads it. To it, a quote ends a span that begins with one backtick."""
    return f"``{text[1:-1]}``" if text.startswith("`") and text[1] != "`" and "'" in text else text


def class_pages(source):
    """The pages of the classes of namespace mercer, by their names."""
    pages = {}
    for header in (source / "include/mercer").rglob("*.hpp"):
        if not {"detail", "io", "testing"} & set(header.relative_to(source).parts):
            for kind, name in re.findall(r"^(class|struct) (\w+)(?: final)?(?: :.*)?\s*\{",
                                         header.read_text(encoding="utf-8"), re.M):
                pages[name] = f"{kind}mercer_1_1{name}.html"
    return pages


class Pages:
    """Turns Markdown files, and files that they link to, into pages of Doxygen."""

    def __init__(self, source, out):
        self.source, self.out = source, out
        self.classes = class_pages(source)
        self.waiting, self.known, self.faults, self.images = [], {}, [], set()

    def page_of(self, path):
        """The name of the page of a file; the file waits to be made into a page."""
        name = path.relative_to(self.source).as_posix()
        if name not in self.known:
            plain = name[len("docs/"):] if name.startswith("docs/") else name
            plain = re.sub(r"\.md$", "", plain)
            self.known[name] = "index" if name == "docs/index.md" else (
                re.sub(r"[^A-Za-z0-9]", "_", plain).lower())
            self.waiting.append(path)
        return self.known[name]

    def make_all(self):
        for path in sorted((self.source / "docs").glob("*.md")):
            self.page_of(path)
        # README.md is no page, but its links count.
        readme = self.source / "README.md"
        LINK.sub(lambda match: self.link(readme, match), readme.read_text(encoding="utf-8"))
        done = set()
        while self.waiting:
            path = self.waiting.pop()
            if path not in done:
                done.add(path)
                (self.make_page if path.suffix == ".md" else self.make_listing)(path)

    def make_listing(self, path):
        """A page with the text of a program or another file of the tree."""
        name = path.relative_to(self.source).as_posix()
        label = self.known[name]
        kind = {".cpp": "{.cpp}", ".hpp": "{.cpp}", ".py": "{.py}"}.get(path.suffix, "{.unparsed}")
        text = path.read_text(encoding="utf-8")
        write(self.out / "pages" / (label + ".dox"),
              f"/** \\page {label} {name}\n\\code{kind}\n{text.replace('*/', '* /')}\n\\endcode\n*/\n")

    def link(self, page, match):
        bang, text, target = match.groups()
        if re.match(r"(https?|mailto):", target) or MADE.match(target):
            return match[0]
        where, _, anchor = target.partition("#")
        path = (page.parent / urllib.parse.unquote(where)).resolve() if where else page
        if not path.exists() or not path.is_relative_to(self.source):
            self.faults.append(f"{page.relative_to(self.source)}: the link to {target} leads nowhere")
            return text
        if bang:
            self.images.add(path)
            return f'<span class="figure"><img src="{path.name}" alt="{text}"></span>'
        if path.is_dir():
            return text
        label = self.page_of(path)
        return f"[{text}]({label}.html{'#' + self.label(label, anchor) if anchor else ''})"

    def link_classes(self, line):
        """Links the classes in the first cell of a row of a table."""
        first, bar, rest = line[1:].partition("|")

        def link(match):
            name = re.match(r"\w*", match[1])[0]
            if name not in self.classes:
                return match[0]
            return f'<a href="{self.classes[name]}"><code>{html.escape(match[1])}</code></a>'

        return "|" + re.sub(r"`([^`]+)`", link, first) + bar + rest

    @staticmethod
    def label(page, anchor):
        return re.sub(r"[^A-Za-z0-9]", "_", f"{page}_{anchor}")

    def make_page(self, path):
        label = self.known[path.relative_to(self.source).as_posix()]
        parts = CODE.split(path.read_text(encoding="utf-8"))
        for number in range(0, len(parts), 2):
            part = re.sub(r"\$\$([^$]+)\$\$", r"\\f[\1\\f]", parts[number])
            part = re.sub(r"\$([^$\n]+)\$", r"\\f$\1\\f$", part)
            parts[number] = LINK.sub(lambda match: self.link(path, match), part)
        parts[1::2] = [code_span(part) for part in parts[1::2]]
        text = re.sub(r"^```cpp$", "```{.cpp}", "".join(parts), flags=re.M)
        text = re.sub(r"^```(sh|text|python|cmake)$",
                      lambda m: "```{.py}" if m[1] == "python" else "```{.unparsed}", text, flags=re.M)
        # Links whose text holds code were split.
        text = LINK.sub(lambda match: self.link(path, match)
                        if not re.match(r"\w+\.html(#|$)|https?:", match[3]) else match[0], text)
        inside, seen = False, {}
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line.startswith("```"):
                inside = not inside
            if line.startswith("| `") and not inside:
                lines[number] = self.link_classes(line)
            heading = re.fullmatch(r"(#+) (.*)", line)
            if heading and not inside:
                if len(heading[1]) == 1:
                    contents = "\n[TOC]\n" if text.count("\n## ") > 2 else "\n"
                    lines[number] = (f"# {heading[2]} {{#mainpage}}\n" if label == "index"
                                     else f"# {heading[2]} {{#{label}}}\n{contents}")
                else:
                    anchor = anchor_of(heading[2])
                    seen[anchor] = seen.get(anchor, -1) + 1
                    if seen[anchor]:
                        anchor += f"-{seen[anchor]}"
                    lines[number] += f" {{#{self.label(label, anchor)}}}"
        if not text.startswith("# "):
            self.faults.append(f"{path.relative_to(self.source)}: no title in the first line")
        write(self.out / "pages" / (label + ".md"), "\n".join(lines))


# --- Doxygen -----------------------------------------------------------------------------------


def quoted(paths):
    return " ".join(f'"{path}"' for path in paths)


def run_doxygen(program, config):
    """Runs Doxygen and returns what it has to say, one line for each fault."""
    done = subprocess.run([program, "-"], input=config, text=True, capture_output=True)
    lines = done.stderr.splitlines()
    if done.returncode and not lines:
        lines = [f"doxygen ended with status {done.returncode}"]
    return [line for line in lines if line.strip()]


def copy_mathjax(mathjax, html_folder):
    for part in MATHJAX_PARTS:
        origin, target = mathjax / part, html_folder / "mathjax" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if origin.is_dir():
            shutil.copytree(origin, target, dirs_exist_ok=True)
        elif origin.exists():
            shutil.copyfile(origin, target)


# --- Links -------------------------------------------------------------------------------------


class Anchors(html.parser.HTMLParser):
    """The anchors and links of a page, and where its text has marks of Markdown outside of code."""

    CODE = ("code", "pre", "script", "style")
    KINDS = {"textblock": "text", "memdoc": "text", "fragment": "code"}  # of <div>

    def __init__(self):
        super().__init__()
        self.names, self.links, self.marks, self.open = set(), [], [], []

    def handle_endtag(self, tag):
        if self.open and self.open[-1][0] == tag:
            self.open.pop()

    def handle_data(self, data):
        kinds = {kind for _, kind in self.open}
        if "text" in kinds and "code" not in kinds:
            self.marks += re.findall(r".{0,20}(?:`|\*\*).{0,20}", data)

    def handle_starttag(self, tag, attrs):
        if tag in ("div", *self.CODE):
            kind = "code" if tag in self.CODE else self.KINDS.get(dict(attrs).get("class"))
            self.open.append((tag, kind))
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.names.add(value)
            elif name in ("href", "src") and value:
                self.links.append(value)


def repair_summaries(html_folder):
    """Doxygen 1.9.4 links to a section of nested classes also where all of them are private."""
    link = re.compile(r'<a href="#nested-classes">[^<]*</a>( &#124;\n?)?')
    for page in html_folder.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        if link.search(text) and 'name="nested-classes"' not in text:
            page.write_text(link.sub("", text), encoding="utf-8")


def check_pages(html_folder):
    pages = {}
    for page in sorted(html_folder.glob("*.html")):
        pages[page.name] = Anchors()
        pages[page.name].feed(page.read_text(encoding="utf-8"))
    faults = set()
    for name, page in pages.items():
        faults.update(f"{name}: not understood as Markdown: {' '.join(mark.split())}" for mark in page.marks)
        for link in page.links:
            if re.match(r"(https?|mailto|javascript|data):", link):
                continue
            where, _, anchor = urllib.parse.unquote(link).partition("#")
            where = where or name
            if not (html_folder / where).is_file():
                faults.add(f"{name}: the link to {link} leads nowhere")
            elif anchor and where in pages and anchor not in pages[where].names:
                faults.add(f"{name}: the page {where} has no place {anchor}")
    return sorted(faults)


# --- All of it ---------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("--mathjax", type=pathlib.Path, default=MATHJAX)
    options = parser.parse_args()
    source, out = options.source.resolve(), options.out.resolve()

    for folder in ("headers", "pages", "html"):
        shutil.rmtree(out / folder, ignore_errors=True)
    copy_headers(source, out)
    pages = Pages(source, out)
    pages.make_all()
    shutil.copyfile(source / "docs/groups.dox", out / "pages/groups.dox")
    version = re.search(r'MERCER_VERSION_STRING "([^"]*)"',
                        (source / "include/mercer/version.hpp").read_text())[1]

    has_mathjax = (options.mathjax / "MathJax.js").is_file()
    header = (HERE / "header.html").read_text(encoding="utf-8")
    note = ""
    if not has_mathjax:
        note = ('<p class="note">Formulas are shown as they are written, in TeX: this site was made '
                'without MathJax (Debian package libjs-mathjax).</p>')
        print("no MathJax (Debian package libjs-mathjax): formulas stay in TeX, and each page says so")
    write(out / "header.html", header.replace("@NOTE@", note).replace(
        "@MATHJAX@", MATHJAX_SCRIPT if has_mathjax else ""))

    config = (HERE / "Doxyfile").read_text(encoding="utf-8")
    common = f"""
PROJECT_NUMBER = {version}
STRIP_FROM_PATH = "{out}/headers"
STRIP_FROM_INC_PATH = "{out}/headers"
OUTPUT_DIRECTORY = "{out}"
INPUT = "{out}/headers" "{out}/pages"
"""
    first = run_doxygen(options.doxygen, config + common + "GENERATE_HTML = NO\n")
    add_common(source, out, first)
    faults = run_doxygen(options.doxygen, config + common + f"""
GENERATE_HTML = YES
HTML_HEADER = "{out}/header.html"
HTML_FOOTER = "{HERE}/footer.html"
HTML_EXTRA_STYLESHEET = "{HERE}/site.css"
HTML_EXTRA_FILES = {quoted(sorted(pages.images))}
""")
    if has_mathjax:
        copy_mathjax(options.mathjax, out / "html")
    repair_summaries(out / "html")
    faults = [line.replace(f"{out}/headers/", "include/").replace(f"{out}/pages/", "page ")
              for line in faults] + pages.faults + check_pages(out / "html")
    if faults:
        print("\n".join(faults))
        print(f"{len(faults)} faults")
    else:
        print(f"no faults: {out}/html/index.html")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
