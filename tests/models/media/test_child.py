"""What a parser's process gives up before it looks at a payload."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from everlore.models.media import child


def test_a_parser_reaches_neither_files_nor_network_nor_programs(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s3cret", encoding="utf-8")
    tries = [
        f"open({str(secret)!r}).read()",
        f"open({str(tmp_path / 'new')!r}, 'w')",
        "__import__('socket').create_connection(('127.0.0.1', 9))",
        "__import__('subprocess').run(['true'])",
        "__import__('os').system('true')",
        "open('/proc/self/environ').read()",
    ]
    code = (
        "import json, sys\nfrom everlore.models.media import child\nchild._confine()\nout = []\n"
        "for one in json.loads(sys.argv[1]):\n"
        "    try: eval(one); out.append('done')\n    except PermissionError: out.append('barred')\n"
        "print(json.dumps(out))"
    )
    done = subprocess.run([sys.executable, "-c", code, json.dumps(tries)], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == ["barred"] * len(tries)


def test_a_failure_is_told_by_its_class_alone() -> None:
    answer = child._answer("eml", b"just words", 10, 10)
    assert answer == {"refused": "it has none of the headers of an email"}
    assert child._answer("docx", b"PK", 10, 10)["refused"].startswith("the file is damaged")
    assert "more than the 3 characters" in child._answer("text", b"four", 10, 3)["refused"]
