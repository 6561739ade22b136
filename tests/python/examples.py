#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
examples.py: the examples of docs/python.md and the notebook do what they show.

    examples.py TENURE SOURCE_ROOT BUILD_ROOT [--write]      --write: write the notebook's outputs anew

Numbers and folders may be others. The notebook is run without Jupyter: the cells in their order, each one's last
expression as what it shows. Everything happens in a new folder with `build` in it and `tenure` in PATH.
"""
import ast
import contextlib
import doctest
import io
import json
import os
import re
import subprocess
import sys
import tempfile

TENURE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
sys.path[:0] = [os.path.join(ROOT, "python"), os.path.join(ROOT, "tests/cli")]
from checks import check, finish

NOTEBOOK = os.path.join(ROOT, "examples/profile.ipynb")


def form(text):
    """Lines without numbers, folders and the width of columns."""
    lines = (re.sub(r"\d[\d,.]*", "#", re.sub(r"[^\s'\">]*/", "", line)) for line in text.splitlines())
    return [" ".join(line.split()) for line in lines if line.strip()]


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, flags):
        return form(want) == form(got)


def document():
    with open(os.path.join(ROOT, "docs/python.md"), encoding="utf-8") as file:
        text = file.read()
    for code in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        subprocess.run(["sh", "-ec", code], check=True, stdout=subprocess.DEVNULL)
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S))
    told = io.StringIO()
    parsed = doctest.DocTestParser().get_doctest(examples, {}, "docs/python.md", None, 0)
    result = doctest.DocTestRunner(Checker()).run(parsed, out=told.write)
    check("docs/python.md" + told.getvalue(), (result.failed, result.attempted > 9), (0, True))


def shown(source, names):
    """What Jupyter would show of a cell."""
    code = ast.parse(source)
    last = ast.Expression(code.body.pop().value) if code.body and isinstance(code.body[-1], ast.Expr) else None
    printed, outputs = io.StringIO(), []
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "cell", "exec"), names)
        value = eval(compile(last, "cell", "eval"), names) if last else None
    if printed.getvalue():
        outputs.append({"name": "stdout", "output_type": "stream", "text": printed.getvalue().splitlines(True)})
    if value is not None:
        data = {"text/html": value._repr_html_().splitlines(True)} if hasattr(value, "_repr_html_") else {}
        data["text/plain"] = repr(value).splitlines(True)
        outputs.append({"data": data, "execution_count": None, "metadata": {}, "output_type": "execute_result"})
    return outputs


def notebook(write):
    with open(NOTEBOOK, encoding="utf-8") as file:
        book = json.load(file)
    names, cells = {}, [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        outputs = shown("".join(cell["source"]), names)
        for output in outputs:
            if "execution_count" in output:
                output["execution_count"] = count
        if write:
            cell["outputs"], cell["execution_count"] = outputs, count
        check(f"cell {count}", form(json.dumps(outputs, indent=1)), form(json.dumps(cell["outputs"], indent=1)))
    check("cells", len(cells) > 3, True)
    if write:
        with open(NOTEBOOK, "w", encoding="utf-8") as file:
            file.write(json.dumps(book, indent=1, ensure_ascii=False) + "\n")


def main():
    os.environ["PATH"] = os.path.dirname(TENURE) + ":" + os.environ["PATH"]
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BUILD, os.path.join(folder, "build"))
        os.chdir(folder)
        document()
        notebook("--write" in sys.argv)
        os.chdir("/")
    return finish()


sys.exit(main())
